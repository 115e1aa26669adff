import LabTesting
import Platform
import Subprocess

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The built binary, which tests run as a process.
enum Binary {
  struct Finished {
    let output: String
    let errors: String
    /// The exit status; for a signal, its negative number.
    let status: Int

    /// The output with line breaks replaced by spaces.
    var unwrapped: String { output.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// Returns the result. Skips the test if the lab judged nothing because a trial hardly received a core.
    fileprivate func unlessTooBusy() throws -> Finished {
      if status == 2 { try skipIfTooBusy() }
      return self
    }

    /// Skips the test if a trial hardly received a core, even if the lab judged other trials.
    func skipIfTooBusy() throws {
      let reason = "the machine is too busy for it"
      if (errors + unwrapped).contains(reason) { try skip(reason) }
    }
  }

  /// The path of the binary, which is in the directory of the test runner.
  static let path = (Host.executablePath.split(separator: "/").dropLast().map { "/" + $0 } + ["/gcdlab"]).joined()

  /// An environment without terminal and colour settings, and with a fixed width.
  static let environment: Environment = .inherit.updating([
    "COLUMNS": "80", "NO_COLOR": nil, "CLICOLOR_FORCE": nil, "TERM": "dumb", "LC_ALL": "C.UTF-8", "GCDLAB_CACHE": "",
  ])

  static func run(_ arguments: [String], environment: Environment = environment) async throws -> Finished {
    let result = try await Subprocess.run(
      .path(.init(path)), arguments: .init(arguments), environment: environment, output: .string(limit: 1 << 22),
      error: .string(limit: 1 << 20))
    let status =
      switch result.terminationStatus {
      case .exited(let code): Int(code)
      case .signaled(let signal): -Int(signal)
      }
    return try Finished(output: result.standardOutput, errors: result.standardError, status: status).unlessTooBusy()
  }
}

extension Binary {
  /// Runs a shell script with the binary as `$0`.
  static func shell(_ script: String) async throws -> Finished {
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", script, path], environment: environment, output: .string(limit: 1 << 20),
      error: .string(limit: 1 << 20))
    let status = if case .exited(let code) = result.terminationStatus { Int(code) } else { -1 }
    return try Finished(output: result.standardOutput, errors: result.standardError, status: status).unlessTooBusy()
  }

  /// Starts the binary, waits for a line on its standard error, calls `act` with the process, and returns the result.
  static func converse(
    _ arguments: [String], until line: String, _ act: @escaping @Sendable (pid_t) throws -> Void
  ) async throws -> Finished {
    let result = try await Subprocess.run(
      .path(.init(path)), arguments: .init(arguments), environment: environment, input: .none,
      output: .string(limit: 1 << 20), error: .sequence
    ) { execution in
      var errors = ""
      for try await text in execution.standardError.strings() {
        errors += text + "\n"
        if text == line { try act(execution.processIdentifier.value) }
      }
      return errors
    }
    let status = if case .exited(let code) = result.terminationStatus { Int(code) } else { -1 }
    return Finished(output: result.standardOutput, errors: result.closureResult, status: status)
  }

  /// A running lab that a test observes.
  struct Lab: Sendable {
    let pid: pid_t
    fileprivate let task: Task<Finished, any Error>

    /// Waits until the lab has a worker, and returns its process identifier. The state of another process is not
    /// reported as an event and must be polled.
    ///
    /// - Throws: ``SystemError`` if the lab ended without a worker.
    func firstWorker() async throws -> pid_t {
      while let tasks = namesInDirectory("/proc/\(pid)/task") {
        for task in tasks {
          let children = readFile("/proc/\(pid)/task/\(task)/children") ?? ""
          if let child = children.split(separator: " ").first.flatMap({ pid_t($0) }) { return child }
        }
        try await Task.sleep(for: .milliseconds(1))
      }
      throw SystemError(ESRCH, "find a worker of the lab")
    }

    func finish() async -> Finished {
      do { return try await task.value } catch { return Finished(output: "", errors: "\(error)", status: -1000) }
    }
  }

  static func start(_ arguments: [String]) async throws -> Lab {
    let (started, feed) = AsyncStream.makeStream(of: pid_t.self)
    let task = Task {
      let result = try await Subprocess.run(
        .path(.init(path)), arguments: .init(arguments), environment: environment, input: .none,
        output: .string(limit: 1 << 20), error: .discarded
      ) { execution in feed.yield(execution.processIdentifier.value) }
      let status =
        switch result.terminationStatus {
        case .exited(let code): Int(code)
        case .signaled(let signal): -Int(signal)
        }
      return Finished(output: result.standardOutput, errors: "", status: status)
    }
    var iterator = started.makeAsyncIterator()
    guard let pid = await iterator.next() else { throw SystemError(ECHILD, "start \(path)") }
    return Lab(pid: pid, task: task)
  }

  /// Waits until a process no longer exists, or is a zombie that its parent has not reaped. If the process continues,
  /// the test hangs, and thereby fails.
  static func awaitEnd(of pid: pid_t) async throws {
    while let stat = readFile("/proc/\(pid)/stat") {
      if let state = stat.split(separator: ")").last?.split(separator: " ").first, state == "Z" { return }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}
