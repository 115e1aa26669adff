// tspl.1, always: code of the main actor runs on the main thread. se0316.1, always: its executor is the main queue. This
// program is asynchronous at its top, like an async main function. After an await that suspends it looks at its thread, and
// whether it finds a value that is set on the main queue. Broken: every thread
// counts as the main one, and the value is looked for on another queue.
import Dispatch
import Glibc

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let key = DispatchSpecificKey<Int>()
DispatchQueue.main.setSpecific(key: key, value: 1)

/// Whether the caller is on the thread whose number is that of the process.
func isOnMainThread() -> Bool {
  var path = [CChar](repeating: 0, count: 256)
  let count = readlink("/proc/thread-self", &path, 255)
  let text = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return text.split(separator: "/").last.map { Int($0) == Int(getpid()) } ?? false
}

var (onThread, onQueue) = (0, 0)
for _ in 0..<20 {
  // Sleeping suspends for sure.
  if !broken { try await Task.sleep(for: .milliseconds(1)) }
  if broken ? getpid() > 0 : isOnMainThread() { onThread += 1 }
  let found =
    broken
    ? DispatchQueue(label: "another").sync { DispatchQueue.getSpecific(key: key) } : DispatchQueue.getSpecific(key: key)
  if found == 1 { onQueue += 1 }
}
print(
  "tspl.1", onThread == 20 ? "holds" : "fails", "\(onThread) of 20 looks after an await were on the main thread",
  separator: "\t")
print(
  "se0316.1", onQueue == 20 ? "holds" : "fails", "\(onQueue) of 20 looks after an await were on the main queue",
  separator: "\t")
