// se0381.1, always: a task group keeps a child that has ended until it is asked for its result. se0381.2, always: a
// discarding group frees a child as soon as it has ended. Each group makes 50,000 children without taking results,
// in a process of its own, which then tells its resident memory in pages. Broken: the group takes its results, and the discarding
// one is one that does not.
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

// The one that keeps nothing first: what is freed is not given back.
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
