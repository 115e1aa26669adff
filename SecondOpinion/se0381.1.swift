// se0381.1, always: a task group keeps a child task that has ended until its result is requested.
// se0381.2, always: a discarding group frees a child task as soon as the child task has ended.
// Tried: a discarding group and then a task group create 50,000 child tasks each, and no result is taken. The growth of
// the resident memory is measured in pages.
// Broken: the results of the task group are taken, and the discarding group is replaced by a task group.
import Glibc

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let count = 50_000

func pages() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { exit(2) }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, 128, file) != nil else { exit(2) }
  let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return Int(text.split(separator: " ")[1]) ?? 0
}

func drained() async -> Int {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<count {
      group.addTask {}
      await group.next()
    }
    return pages()
  }
}
func undrained() async -> Int {
  await withTaskGroup(of: Void.self) { group in
    for number in 0..<count {
      group.addTask {}
      if number % 64 == 0 { await Task.yield() }
    }
    return pages()
  }
}
func discarding() async -> Int {
  await withDiscardingTaskGroup { group in
    for number in 0..<count {
      group.addTask {}
      if number % 64 == 0 { await Task.yield() }
    }
    return pages()
  }
}

// The discarding group runs first, since freed memory is not returned to the system.
let start = pages()
let few = broken ? await undrained() : await discarding()
let between = pages()
let many = broken ? await drained() : await undrained()
// A child task takes at least 200 bytes, which for all of them is 2,400 pages.
let (kept, freed) = (many - between, few - start)
print(
  "se0381.1", kept > 1200 ? "holds" : "fails", "\(kept) pages more after \(count) children of a group", separator: "\t")
print(
  "se0381.2", freed < 1200 ? "holds" : "fails", "\(freed) pages more after \(count) children of a discarding group",
  separator: "\t")
