// guide.12, always: the queue keeps a block until the block has run, and then releases the block.
// guide.11, always: a block keeps the values that its variables had when the block was created.
// Tried in Swift, where an object can report its release. 500 blocks wait for a queue that is held, and each block has
// the only reference to an object. No object may be released before its block has run, and all objects must be released
// once the queue is idle. Each block captures a number that is changed after the submission. Then a block is submitted
// with the C functions, and the reference count in its header shows whether the queue has a reference while the block
// runs.
// Broken: the blocks stay in an array, and capture the variable instead of its value.
import Dispatch
import Glibc
import Synchronization

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let tasks = 500

final class Count: Sendable {
  let gone = Atomic(0)
  let ran = Atomic(0)
  let goneTooEarly = Atomic(0)
  let right = Atomic(0)
}
let count = Count()

final class Held: Sendable {
  let ran = Atomic(false)
  deinit {
    count.gone.add(1, ordering: .relaxed)
    if !ran.load(ordering: .relaxed) { count.goneTooEarly.add(1, ordering: .relaxed) }
  }
}

final class Box: Sendable { let value = Atomic(0) }

let queue = DispatchQueue(label: "keeps")
let gate = DispatchSemaphore(value: 0)
queue.async { gate.wait() }
var kept: [@Sendable () -> Void] = []
let variable = Box()
for index in 0..<tasks {
  variable.value.store(index, ordering: .relaxed)
  let value = variable.value.load(ordering: .relaxed)
  let held = Held()
  let block: @Sendable () -> Void = {
    held.ran.store(true, ordering: .relaxed)
    let found = broken ? variable.value.load(ordering: .relaxed) : value
    if found == index { count.right.add(1, ordering: .relaxed) }
    count.ran.add(1, ordering: .relaxed)
  }
  if broken { kept.append(block) }
  queue.async(execute: block)
}
variable.value.store(-1, ordering: .relaxed)
let goneBefore = count.gone.load(ordering: .relaxed)
gate.signal()
queue.sync {}
let ran = count.ran.load(ordering: .relaxed)
let gone = count.gone.load(ordering: .relaxed)
let early = count.goneTooEarly.load(ordering: .relaxed) + goneBefore
let right = count.right.load(ordering: .relaxed)

/// The types of Dispatch's C functions that submit a block and create a queue.
typealias Submit = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
typealias Create = @convention(c) (UnsafePointer<CChar>?, UnsafeRawPointer?) -> UnsafeMutableRawPointer
func function<F>(_ name: String, as type: F.Type) -> F { unsafeBitCast(dlsym(nil, name), to: type) }

/// Returns the number of references to a block on the heap. The block's flags contain the number above the lowest bit,
/// which has another meaning.
func references(_ block: UnsafeRawPointer) -> Int {
  Int(block.load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UInt32.self) & 0xfffe) / 2
}

struct Seen {
  nonisolated(unsafe) static var block: UnsafeRawPointer?
  nonisolated(unsafe) static var whileItRan = 0
}
/// Returns how often, in 100 submissions, the queue had a reference to the block while the block ran, and how often
/// afterwards.
func kept(by submit: String) -> (running: Int, after: Int) {
  let (submit, sync) = (function(submit, as: Submit.self), function("dispatch_sync", as: Submit.self))
  let queue = function("dispatch_queue_create", as: Create.self)("references", nil)
  let number = count.ran.load(ordering: .relaxed)
  let block: @convention(block) () -> Void = {
    if let block = Seen.block, number == count.ran.load(ordering: .relaxed) { Seen.whileItRan = references(block) }
  }
  let empty: @convention(block) () -> Void = { if number < 0 { print(number) } }
  let pointer = unsafeBitCast(block, to: UnsafeRawPointer.self)
  let nothing = unsafeBitCast(empty, to: UnsafeRawPointer.self)
  return withExtendedLifetime((block, empty)) {
    Seen.block = pointer
    var kept = (running: 0, after: 0)
    for _ in 0..<100 {
      let before = references(pointer)
      submit(queue, pointer)
      sync(queue, nothing)
      if Seen.whileItRan > before { kept.running += 1 }
      if references(pointer) > before { kept.after += 1 }
    }
    return kept
  }
}
let (byAsync, bySync) = (kept(by: "dispatch_async"), kept(by: "dispatch_sync"))

let released =
  early == 0 && ran == tasks && gone == tasks && byAsync == (running: 100, after: 0) && bySync.after == 0
let verdict = !released ? "fails" : bySync.running < 100 ? "partly" : "holds"
print(
  "guide.12\t\(verdict)\tobjects released before their block ran \(early), afterwards \(gone) of \(ran);",
  "block kept while it ran: by async \(byAsync.running), by sync \(bySync.running) of 100")
print(
  "guide.11\t\(right == tasks ? "holds" : "fails")\tblocks that found the value of their creation: \(right) of \(ran)")
