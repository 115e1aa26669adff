// se0300.3, always: a checked continuation that is resumed a second time traps.
// se0300.4, always: a checked continuation that is discarded without being resumed logs a warning.
// Tried: copies of this program, whose standard error is read. A copy resumes its continuation twice at once, or a
// second time later, or never.
// Broken: the copies resume once.
import Glibc

alarm(60)
let broken = CommandLine.arguments.contains("--broken")

@Sendable func misuse(_ kind: String) async {
  nonisolated(unsafe) var kept: CheckedContinuation<Void, Never>?
  if kind == "never" && !broken {
    Task.detached { await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in } }
    try? await Task.sleep(for: .milliseconds(200))
    exit(0)
  }
  await withCheckedContinuation { task in
    task.resume()
    if kind == "twice" && !broken { task.resume() }
    kept = task
  }
  try? await Task.sleep(for: .milliseconds(10))
  if kind == "later" && !broken { kept?.resume() }
  exit(0)
}

if let kind = CommandLine.arguments.last, ["twice", "later", "never"].contains(kind) { await misuse(kind) }

/// Runs a copy of this program. Returns the copy's wait status and its standard error.
func run(_ kind: String) -> (status: Int32, said: String) {
  var ends: [Int32] = [0, 0]
  pipe(&ends)
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
  posix_spawn_file_actions_addclose(&actions, ends[0])
  let words = [CommandLine.arguments[0]] + (broken ? ["--broken"] : []) + [kind]
  let arguments = words.map { strdup($0) } + [nil]
  let environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
  var process = pid_t()
  posix_spawn(&process, "/proc/self/exe", &actions, nil, arguments, environment)
  close(ends[1])
  var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
  while true {
    let count = read(ends[0], &buffer, buffer.count)
    if count <= 0 { break }
    bytes += buffer[..<count]
  }
  close(ends[0])
  var status: Int32 = 0
  waitpid(process, &status, 0)
  return (status, String(decoding: bytes, as: UTF8.self))
}

var (trapped, warned) = (0, 0)
for _ in 0..<5 {
  for kind in ["twice", "later"] where [SIGILL, SIGTRAP, SIGABRT].contains(run(kind).status & 0x7f) { trapped += 1 }
  if run("never").said.contains("leaked") { warned += 1 }
}
print("se0300.3\t\(trapped == 10 ? "holds" : "fails")\ttrapped \(trapped) of 10")
print("se0300.4\t\(warned == 5 ? "holds" : "fails")\twarned \(warned) of 5")
