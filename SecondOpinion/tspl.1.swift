// tspl.1, always: code of the main actor runs on the main thread.
// se0316.1, always: the executor of the main actor is the main queue.
// Tried: this program is asynchronous at its top level, like an async main function. After an await that suspends, the
// program examines its thread, and looks up a value that is set on the main queue.
// Broken: every thread counts as the main thread, and the value is looked up on another queue.
import Dispatch
import Glibc

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let key = DispatchSpecificKey<Int>()
DispatchQueue.main.setSpecific(key: key, value: 1)

/// Returns whether the caller is on the main thread, whose number is that of the process.
func isOnMainThread() -> Bool {
  var path = [CChar](repeating: 0, count: 256)
  let count = readlink("/proc/thread-self", &path, 255)
  let text = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return text.split(separator: "/").last.map { Int($0) == Int(getpid()) } ?? false
}

var (onThread, onQueue) = (0, 0)
for _ in 0..<20 {
  // A sleep always suspends the task.
  if !broken { try await Task.sleep(for: .milliseconds(1)) }
  if broken ? getpid() > 0 : isOnMainThread() { onThread += 1 }
  let found =
    broken
    ? DispatchQueue(label: "another").sync { DispatchQueue.getSpecific(key: key) } : DispatchQueue.getSpecific(key: key)
  if found == 1 { onQueue += 1 }
}
print(
  "tspl.1", onThread == 20 ? "holds" : "fails", "\(onThread) of 20 checks after an await were on the main thread",
  separator: "\t")
print(
  "se0316.1", onQueue == 20 ? "holds" : "fails", "\(onQueue) of 20 checks after an await were on the main queue",
  separator: "\t")
