/// The sections of `make bench`. Each section measures its figures in interleaved rounds.
struct Sections {
  let lab: Lab
  let counterparts: String
  let rounds: Int

  /// A group of rows that are measured together.
  struct Section {
    let name, title: String
    /// Whether the section measures wake-ups; see ``Cores``.
    var isOfWakeUps = false
    let rows: () -> [Row]
  }

  /// All sections, in the order in which they run.
  var all: [Section] {
    [
      Section(
        name: "apply", title: "Striding: 2 million iterations of 15 ns, left apply-queue of gcdlab", rows: apply
      ),
      Section(
        name: "races", title: "Races: check-then-act by two threads over 1024 slots", rows: races),
      Section(name: "groups", title: "Groups: 3 tasks of 100 us, medians", isOfWakeUps: true, rows: groups),
      Section(
        name: "tasks", title: "Tasks: how soon each begins, and what 200 of 1 us cost each, medians",
        isOfWakeUps: true, rows: tasks),
      Section(
        name: "hops", title: "Hops: to the main queue or another and back, medians", isOfWakeUps: true, rows: hops),
      Section(name: "ways", title: "Ways: 100 pieces of 10 us, dispatched in each way, medians", rows: ways),
      Section(name: "descriptors", title: "Descriptors: limit 64, 400 tasks of 10 ms", rows: descriptors),
      Section(name: "semaphores", title: "Semaphores: a wait-signal pair, medians", rows: semaphores),
      Section(name: "locks", title: "Locks: an update under mutual exclusion, medians", rows: locks),
      Section(
        name: "merges", title: "Merges: news that one thread passes on to a handler, medians", isOfWakeUps: true,
        rows: merges),
      Section(
        name: "timers", title: "Timers: 200 fires a millisecond apart, medians", isOfWakeUps: true, rows: timers),
      Section(
        name: "signals", title: "Signals: from kill until the handler begins, medians", isOfWakeUps: true,
        rows: signals),
      Section(
        name: "files", title: "Files: 50 changes of each kind back to back, medians", isOfWakeUps: true, rows: files),
      Section(name: "reads", title: "Reads: 500 single bytes, then 64 MiB, medians", isOfWakeUps: true, rows: reads),
      Section(
        name: "exits", title: "Exits: 20 children, from the last act to the report, medians", isOfWakeUps: true,
        rows: exits),
      Section(
        name: "harness",
        title: "What the harness adds: the loop of each pattern around nothing, right an empty loop in C",
        rows: harness),
      Section(
        name: "explore", title: "Explore: orders of steps of singleton-race, left every order, right random ones",
        rows: explore),
      Section(name: "cost", title: "Cost of the lab", isOfWakeUps: true, rows: cost),
      Section(
        name: "trace", title: "Programs that gcdlab trace runs: a call until its block has run, right without the lab",
        isOfWakeUps: true, rows: trace),
    ]
  }

  private func runC(_ name: String, _ arguments: String...) throws -> [String: Double] {
    try Program(path: "\(counterparts)/\(name)").figures(arguments)
  }

  // MARK: Striding

  private static let iterations = 2_000_000

  private func lab(_ variant: String, stride: Int) -> Side {
    Side(name: "gcdlab \(variant)") {
      try lab.trial(
        "apply-stride", variant,
        ["iterations": .number(Self.iterations), "stride": .number(stride), "work": 15, "repeats": 5])
    }
  }

  private func c(_ program: String, _ way: String, stride: Int, needs package: String? = nil) -> Side {
    let steps = Int((15 * lab.stepsPerMicrosecond / 1000).rounded())
    return Side(name: way) {
      if let package, !Program(path: "\(counterparts)/\(program)").exists {
        throw Failure(reason: "not installed: apt-get install \(package)", isOfTheMachine: true)
      }
      return try runC(program, way, "\(Self.iterations)", "\(steps)", "\(stride)", "5")
    }
  }

  private func apply() -> [Row] {
    let strides = [1, 4, 16, 64, 256, 1024, 4096]
    let swept = interleave(
      rounds, strides.flatMap { [lab("apply-queue", stride: $0), c("apply_stride", "dispatch", stride: $0)] })
    var rows = strides.indices.map { index in
      Row(
        title: "stride \(strides[index]) / dispatch_apply_f", left: swept[2 * index], right: swept[2 * index + 1],
        figure: "elapsed", unit: .nanoseconds, target: .ratio(atMost: 1.05))
    }
    let medians = strides.indices.map { (try? Array(swept[2 * $0].values("elapsed").values).median) ?? .infinity }
    let best = strides[medians.indices.min { medians[$0] < medians[$1] } ?? 0]
    let others = interleave(
      rounds,
      [
        lab("apply-queue", stride: best), c("apply_openmp", "openmp", stride: best, needs: "gcc"),
        c("apply_tbb", "tbb", stride: best, needs: "libtbb-dev"), lab("serial-loop", stride: best),
        c("apply_stride", "serial", stride: best),
      ])
    func row(_ title: String, _ left: Int, _ right: Int, _ target: Target) -> Row {
      Row(title: title, left: others[left], right: others[right], figure: "elapsed", unit: .nanoseconds, target: target)
    }
    rows += [
      row("stride \(best) / OpenMP static", 0, 1, .sameWork),
      row("stride \(best) / oneTBB auto", 0, 2, .sameWork),
      row("plain loop / stride \(best)", 3, 0, .ratio(atLeast: 1.9)),
      row("plain loop / plain loop in C", 3, 4, .none),
    ]
    return rows
  }

  // MARK: Races

  private func races() -> [Row] {
    let series = interleave(
      rounds,
      [
        Side(name: "gcdlab") {
          try lab.trial(
            "singleton-race", "check-then-act",
            ["threads": 2, "race-time": 200_000_000, "slots": 1024, "patience": 0])
        },
        Side(name: "C") { try runC("singleton_race", "2", "1024", "200") },
      ])
    return [("duplicates", "duplicate-rate"), ("races", "race-rate")].map { title, figure in
      Row(
        title: title, left: series[0], right: series[1], figure: figure, unit: .perSecond,
        target: .ratio(atLeast: 0.95))
    }
  }

  // MARK: Groups

  private func groups() -> [Row] {
    let cases = ["wait", "notify", "semaphore"].flatMap { way in ["pool", "thread"].map { (way, $0) } }
    let series = interleave(
      rounds,
      cases.flatMap { way, leaver in
        [
          Side(name: "gcdlab") {
            try lab.trial(
              "group-wait-vs-notify", way,
              ["tasks": 3, "work": 100_000, "last-leave-on": .word(leaver), "timeout": 500_000, "repeats": 200])
          },
          Side(name: "C") { try runC("group_wait_notify", way, leaver, "3", "100000", "200", "500000", "block") },
        ]
      })
    return cases.indices.flatMap { index in
      ["thread-held", "completion-latency"].map { figure in
        Row(
          title: "\(cases[index].0), \(figure), last leave by \(cases[index].1)", left: series[2 * index],
          right: series[2 * index + 1], figure: figure, unit: .nanoseconds,
          // With notify, the thread is held only while it creates seven closures. This is a cost of Swift, so there is
          // no target.
          target: cases[index].0 == "notify" && figure == "thread-held" ? .none : .sameWork)
      }
    }
  }

  // MARK: Tasks

  private func tasks() -> [Row] {
    let steps = Int(lab.stepsPerMicrosecond.rounded())
    let starts = ["async-warm", "async-cold", "thread", "thread-pool"].map { way in
      (
        "start", way,
        [
          Side(name: "gcdlab") { try lab.trial("thread-vs-queue", way, ["repeats": 100, "objects": 100]) },
          Side(name: "C") { try runC("task_cost", "start", way, "100") },
        ]
      )
    }
    let costs = ["inline", "sync", "async", "thread"].map { way in
      (
        "per-task", way,
        [
          Side(name: "gcdlab") {
            try lab.trial("task-granularity", way, ["tasks": 200, "work": 1000, "repeats": 3])
          },
          Side(name: "C") { try runC("task_cost", "small", way, "200", "\(steps)", "3") },
        ]
      )
    }
    let all = starts + costs
    let series = interleave(rounds, all.flatMap(\.2))
    return all.indices.map { index in
      let (figure, way, _) = all[index]
      // Each task is a closure. A closure costs more than a block in C, so these rows have no target.
      let isSwifts = figure == "per-task" && ["sync", "async"].contains(way)
      return Row(
        title: isSwifts ? "Swift's \(way) / \(way) in C, \(figure)" : "\(way), \(figure)", left: series[2 * index],
        right: series[2 * index + 1], figure: figure, unit: .nanoseconds,
        target: isSwifts ? .none : .sameWork)
    }
  }

  // MARK: Hops

  private func hops() -> [Row] {
    let ways = ["async-hop", "sync-hop"]
    let series = interleave(
      rounds,
      ways.flatMap { way in
        [
          Side(name: "gcdlab") { try lab.trial("main-queue", way, ["hops": 200]) },
          Side(name: "C") { try runC("main_hop", way, "200") },
        ]
      })
    return ways.indices.flatMap { index in
      ["to-main", "back"].map { figure in
        Row(
          title: "\(ways[index]), \(figure)", left: series[2 * index], right: series[2 * index + 1], figure: figure,
          unit: .nanoseconds, target: .sameWork)
      }
    } + roundTrips()
  }

  /// Compares each round trip of the lab with a round trip by dispatch_async_f in C. The variant `queue-c` makes the
  /// same call. The other variants use Swift's own forms.
  private func roundTrips() -> [Row] {
    let ways = ["queue-c", "queue", "actor", "actor-on-queue", "continuation"]
    let series = interleave(
      rounds,
      ways.map { way in
        Side(name: "gcdlab") { try lab.trial("hop-cost", way, ["batch": 100, "callers": 1, "calls": 1]) }
      } + [Side(name: "C") { try runC("hop_cost", "100", "30") }])
    return ways.indices.map { index in
      let isSame = ways[index] == "queue-c"
      return Row(
        title: isSame ? "dispatch_async_f, round-trip" : "Swift's \(ways[index]) / dispatch_async_f in C, round-trip",
        left: series[index], right: series[ways.count], figure: "round-trip", unit: .nanoseconds,
        target: isSame ? .sameWork : .none)
    }
  }

  // MARK: Ways to dispatch

  private func ways() -> [Row] {
    let ways = ["loop", "apply", "serial", "concurrent", "many-queues", "threads"]
    let steps = Int((10 * lab.stepsPerMicrosecond).rounded())
    let series = interleave(
      rounds,
      ways.flatMap { way in
        [
          Side(name: "gcdlab") {
            try lab.trial("dispatch-compared", way, ["tasks": 100, "work": 10_000, "repeats": 5])
          },
          Side(name: "C") { try runC("dispatch_compared", way, "100", "\(steps)", "5") },
        ]
      })
    return ways.indices.flatMap { index in
      let way = ways[index]
      // A loop and dispatch_apply have finished when they return. The overhead of a loop cannot be distinguished from
      // zero.
      let figures =
        ["loop": ["complete"], "apply": ["complete", "overhead"]][way] ?? ["initiate", "complete", "overhead"]
      return figures.map { figure in
        // Each task is a closure. A closure costs more than a block in C, so these rows have no target.
        let isSwifts = ["serial", "concurrent", "many-queues"].contains(way) || (way, figure) == ("apply", "overhead")
        return Row(
          title: isSwifts ? "Swift's \(way) / \(way) in C, \(figure)" : "\(way), \(figure)", left: series[2 * index],
          right: series[2 * index + 1], figure: figure, unit: .nanoseconds,
          target: isSwifts ? .none : .sameWork)
      }
    }
  }

  // MARK: Descriptors

  private func descriptors() -> [Row] {
    let cases = ["unlimited", "semaphore"]
    let series = interleave(
      min(rounds, 5),
      cases.flatMap { way in
        [
          Side(name: "gcdlab") {
            try lab.trial("fd-semaphore", way, ["limit": 64, "tasks": 400, "hold": 10_000_000])
          },
          Side(name: "C") { try runC("fd_semaphore", way, "64", "400", "10000000") },
        ]
      })
    func row(_ title: String, _ way: Int, _ figure: String, _ target: Target) -> Row {
      Row(
        title: title, left: series[2 * way], right: series[2 * way + 1], figure: figure, unit: .count, target: target)
    }
    return [
      row("unlimited, failed opens", 0, "failed-opens", .value(100...400, "left >= 100")),
      row("semaphore, failed opens", 1, "failed-opens", .value(0...0, "left 0")),
      row("semaphore, most open at once", 1, "peak-open", .value(32...32, "left 32")),
    ]
  }

  // MARK: Semaphores and locks

  /// A variant of the lab, its counterpart in C, and whether both make the same calls. If the calls differ, the row
  /// shows the cost of Swift's own form.
  private typealias Counterpart = (way: String, c: String, isSame: Bool)

  private func semaphores() -> [Row] {
    freeAndContended(
      [
        ("dispatch-c", "dispatch", true), ("posix", "posix", true), ("system-v", "system-v", true),
        ("pthread-condition", "pthread-condition", true), ("dispatch", "dispatch", false), ("mutex", "mutex", false),
      ], of: "semaphore-cost", program: "semaphore_cost", count: ("contended-pairs", 2000), hold: 1000)
  }

  private func locks() -> [Row] {
    freeAndContended(
      [
        ("serial-sync-c", "serial-sync", true), ("pthread-mutex", "pthread-mutex", true),
        ("spinlock", "spinlock", true), ("semaphore", "semaphore", true),
        ("unprotected", "unprotected", true),
        ("serial-sync", "serial-sync", false), ("serial-async", "serial-async", false), ("barrier", "barrier", false),
        ("mutex", "pthread-mutex", false),
      ], of: "queue-vs-lock", program: "queue_vs_lock", count: ("updates", 5000), hold: 200)
  }

  /// Compares the cost of each variant in batches of 1000 by one thread alone, and with two threads that contend.
  private func freeAndContended(
    _ cases: [Counterpart], of pattern: String, program: String, count: (name: String, number: Int), hold: Int
  ) -> [Row] {
    let steps = Int((Double(hold) * lab.stepsPerMicrosecond / 1000).rounded())
    let series = interleave(
      rounds,
      cases.flatMap { way, counterpart, _ in
        [
          Side(name: "gcdlab") {
            try lab.trial(
              pattern, way, ["batch": 1000, "threads": 2, count.name: .number(count.number), "hold": .number(hold)])
          },
          Side(name: "C") { try runC(program, counterpart, "1000", "2", "\(count.number)", "\(steps)") },
        ]
      })
    return cases.indices.flatMap { index in
      let (way, counterpart, isSame) = cases[index]
      let title = isSame ? way : "Swift's \(way) / \(counterpart) in C"
      return [("uncontended", isSame ? Target.sameWork : .none), ("contended", .none)].map { figure, target in
        Row(
          title: "\(title), \(figure)", left: series[2 * index], right: series[2 * index + 1], figure: figure,
          unit: .nanoseconds, target: target)
      }
    }
  }

  // MARK: Merges

  private func merges() -> [Row] {
    // Only `add-c` makes the same calls as its counterpart. The other rows show the cost of Swift's own form.
    let cases: [Counterpart] = [
      ("add-c", "add", true), ("add", "add", false), ("or", "or", false), ("replace", "replace", false),
    ]
    let (burst, stream) = (200, 20_000)
    let series = interleave(
      rounds,
      cases.flatMap { way, counterpart, _ in
        [
          Side(name: "gcdlab") {
            try lab.trial("custom-source", way, ["burst": .number(burst), "stream": .number(stream), "work": 0])
          },
          Side(name: "C") { try runC("custom_source", counterpart, "\(burst)", "\(stream)") },
        ]
      })
    return cases.indices.flatMap { index in
      let (way, counterpart, isSame) = cases[index]
      return [("cost", "a merge"), ("stream-cost", "over merges"), ("delivery", "delivery")].map { figure, says in
        Row(
          title: isSame ? "\(way), \(says)" : "Swift's \(way) / \(counterpart) in C, \(says)", left: series[2 * index],
          right: series[2 * index + 1], figure: figure, unit: .nanoseconds,
          target: isSame ? .sameWork : .none)
      }
    }
  }

  // MARK: Timers and signals

  private func timers() -> [Row] {
    let ways = ["strict", "async-after-rearmed", "sleep-loop"]
    let (interval, fires) = (1_000_000, 200)
    let series = interleave(
      rounds,
      ways.flatMap { way in
        [
          Side(name: "gcdlab") {
            try lab.trial("timer-source", way, ["interval": .number(interval), "fires": .number(fires)])
          },
          Side(name: "C") { try runC("timer_lateness", way, "\(interval)", "\(fires)") },
        ]
      } + [
        Side(name: "cyclictest") {
          guard Program.isInstalled("cyclictest") else {
            throw Failure(reason: "not installed: apt-get install rt-tests", isOfTheMachine: true)
          }
          let command = "cyclictest --quiet --nsecs --policy=other --interval=\(interval / 1000) --loops=\(fires)"
          let words = try Program(path: "/bin/sh").run(["-c", command]).split { $0 == " " || $0 == "\n" }
          guard let mean = words.firstIndex(of: "Avg:").flatMap({ Double(words[($0 + 1)...].first ?? "") }) else {
            throw Failure(reason: "cyclictest printed no mean")
          }
          return ["lateness": mean]
        }
      ])
    let lateness = ways.indices.map { index in
      Row(
        title: "\(ways[index]), lateness", left: series[2 * index], right: series[2 * index + 1], figure: "lateness",
        unit: .nanoseconds, target: .sameWork)
    }
    return lateness + [
      // cyclictest prints a mean, and sleeps until a point in time instead of for a duration. The row has no target.
      Row(
        title: "sleep-loop / mean of cyclictest, lateness", left: series[4], right: series[6], figure: "lateness",
        unit: .nanoseconds, target: .none)
    ]
  }

  private func signals() -> [Row] {
    let ways = ["source", "sigaction"]
    let series = interleave(
      rounds,
      ways.flatMap { way in
        [
          Side(name: "gcdlab") { try lab.trial("signal-source", way, ["signals": 500]) },
          Side(name: "C") { try runC("signal_latency", way, "500") },
        ]
      })
    return ways.indices.map { index in
      Row(
        title: "\(ways[index]), latency", left: series[2 * index], right: series[2 * index + 1], figure: "latency",
        unit: .nanoseconds, target: .sameWork)
    }
  }

  // MARK: Files

  private func files() -> [Row] {
    let series = interleave(
      rounds,
      [
        Side(name: "gcdlab") {
          try lab.trial("file-monitor", "source", ["changes": 50, "poll-interval": 0, "burst": 1])
        },
        Side(name: "C") { try runC("file_monitor", "50") },
      ])
    return [
      "latency", "write-latency", "extend-latency", "attrib-latency", "link-latency", "rename-latency",
      "delete-latency",
    ]
    .map { figure in
      Row(
        title: figure, left: series[0], right: series[1], figure: figure, unit: .nanoseconds,
        target: figure == "latency" ? .sameWork : .none)
    }
  }

  // MARK: Reads and exits

  private func reads() -> [Row] {
    let (messages, size) = (500, 64 << 20)
    let cases = ["drained", "blocking-read"].flatMap { way in ["pipe", "socket", "file"].map { (way, $0) } }
    let series = interleave(
      rounds,
      cases.flatMap { way, kind in
        [
          Side(name: "gcdlab") {
            try lab.trial(
              "descriptor-read", way, ["kind": .word(kind), "messages": .number(messages), "size": .number(size)])
          },
          Side(name: "C") { try runC("descriptor_read", way, kind, "\(messages)", "\(size)") },
        ]
      })
    return cases.indices.flatMap { index in
      let (way, kind) = cases[index]
      let figures: [(String, Unit)] = [("latency", .nanoseconds), ("throughput", .perSecond)]
      return figures.filter { kind != "file" || $0.0 == "throughput" }.map { figure, unit in
        Row(
          title: "\(way) \(kind), \(figure)", left: series[2 * index], right: series[2 * index + 1], figure: figure,
          unit: unit, target: unit == .perSecond ? .ratio(atLeast: 0.95) : .sameWork)
      }
    }
  }

  private func exits() -> [Row] {
    let ways = ["child-exit", "waitpid-thread", "sigchld"]
    let series = interleave(
      rounds,
      ways.flatMap { way in
        [
          Side(name: "gcdlab") { try lab.trial("process-monitor", way, ["processes": 20]) },
          Side(name: "C") { try runC("process_exit", lab.binary, way, "20") },
        ]
      })
    return ways.indices.map { index in
      Row(
        title: "\(ways[index]), latency", left: series[2 * index], right: series[2 * index + 1],
        figure: "report-latency",
        unit: .nanoseconds, target: .sameWork)
    }
  }

  // MARK: What the harness adds

  /// Compares the loops that time short operations with an empty loop in C. The loops' operation does nothing.
  private func harness() -> [Row] {
    let loops: [(pattern: String, variant: String, figure: String, settings: [String: Lab.Value])] = [
      ("semaphore-cost", "mutex", "uncontended", ["batch": 1000, "threads": 2, "contended-pairs": 1, "hold": 0]),
      ("queue-vs-lock", "mutex", "uncontended", ["batch": 1000, "threads": 2, "updates": 1, "hold": 0]),
      ("queue-vs-lock", "actor", "uncontended", ["batch": 1000, "threads": 2, "updates": 1, "hold": 0]),
      ("singleton-race", "mutex", "hot-path", ["batch": 1000, "race-time": 1_000_000, "paused-races": 1]),
      ("singleton-race", "actor", "hot-path", ["batch": 1000, "race-time": 1_000_000, "paused-races": 1]),
      ("custom-source", "add-c", "cost", ["burst": 1000, "stream": 1000, "work": 0]),
      ("custom-source", "add-c", "stream-cost", ["burst": 1000, "stream": 1000, "work": 0]),
      ("stream-vs-source", "source", "send-cost", ["burst": 1000, "messages": 1, "stream": 1000]),
      ("hop-cost", "queue-sync", "round-trip", ["batch": 1000, "callers": 1, "calls": 1]),
      ("hop-cost", "actor", "round-trip", ["batch": 1000, "callers": 1, "calls": 1]),
    ]
    let series = interleave(
      rounds,
      [Side(name: "C") { try runC("empty_loop", "1000", "30") }]
        + loops.map { loop in
          Side(name: "gcdlab") {
            let figures = try lab.trial(loop.pattern, loop.variant, loop.settings)
            guard let floor = figures["\(loop.figure) around nothing"] else {
              throw Failure(reason: "\(loop.pattern) \(loop.variant) does not say what its loop takes around nothing")
            }
            return ["iteration": floor]
          }
        })
    return loops.indices.map { index in
      Row(
        title: "\(loops[index].pattern) \(loops[index].variant), \(loops[index].figure)", left: series[index + 1],
        right: series[0], figure: "iteration", unit: .nanoseconds, target: .sameWork)
    }
  }

  // MARK: Orders of steps

  private func explore() -> [Row] {
    let series = interleave(
      rounds,
      [
        Side(name: "every order") { try lab.exploration("singleton-race") },
        Side(name: "random orders") { try lab.exploration("singleton-race", "--random", "1000") },
      ])
    return [
      Row(
        title: "all variants", left: series[0], right: series[1], figure: "orders", unit: .perSecond,
        target: .value(2000...Double.infinity, "left >= 2000/s"))
    ]
  }

  // MARK: Cost of the lab

  private func cost() -> [Row] {
    let spawner = lab.spawner
    let series = interleave(
      rounds * 5,
      [
        Side(name: "gcdlab machine") { ["sample": try lab.floor()] },
        Side(name: "record_cost") { try runC("record_cost", "2000", "25") },
        Side(name: "worker") {
          try lab.trial(
            "apply-stride", "serial-loop",
            ["iterations": 1, "stride": 1, "work": 0, "repeats": 1])
        },
        Side(name: "gcdlab --version") { try spawner.figures(["1", "", lab.binary, "--version"]) },
        Side(name: "true") { try spawner.figures(["1", "", "true"]) },
        Side(name: "hyperfine") {
          guard Program.isInstalled("hyperfine") else {
            throw Failure(reason: "not installed: apt-get install hyperfine", isOfTheMachine: true)
          }
          return try spawner.figures(["1", "", "hyperfine", "--version"])
        },
      ])
    func row(_ title: String, _ left: Int, _ right: Int, _ figure: String, _ unit: Unit, _ target: Target) -> Row {
      Row(title: title, left: series[left], right: series[right], figure: figure, unit: unit, target: target)
    }
    return [
      row("recorded sample / the same in C", 0, 1, "sample", .nanoseconds, .ratio(atMost: 1.1)),
      row("worker, start to end / true", 2, 4, "wall", .nanoseconds, .value(0...3.5e6, "left <= 3.5 ms")),
      row("gcdlab --version / hyperfine --version", 3, 5, "wall", .nanoseconds, .ratio(atMost: 2)),
      row("worker, peak memory / true", 2, 4, "peak-memory", .bytes, .value(0...30e6, "left <= 30 MB")),
    ]
  }

  // MARK: Recording

  private func trace() -> [Row] {
    let (batch, batches) = ("1000", "20")
    let program = "\(counterparts)/trace_cost"
    func traced(_ words: String...) -> Side {
      // The lab's report on the program goes to standard error.
      Side(name: "gcdlab trace") {
        let command = ["-c", #"exec "$0" trace "$@" 2>/dev/null"#, lab.binary] + words + [program, batch, batches]
        return try Program(path: "/bin/sh").figures(command)
      }
    }
    let series = interleave(
      rounds * 5,
      [
        Side(name: "trace_cost") { try runC("trace_cost", batch, batches) }, traced("--"),
        // The recorder is preloaded, but GCDLAB_RECORD does not name a file for the record.
        traced("--children", "--", "env", "-u", "GCDLAB_RECORD"),
      ])
    let calls = [("dispatch_sync_f", "sync"), ("dispatch_async_f", "async"), ("dispatch_async", "block")]
    return [("recorded", 1, 250), ("inert", 2, 5)].flatMap { state, left, most in
      calls.map { call, figure in
        Row(
          title: "\(state) \(call) / plain", left: series[left], right: series[0], figure: figure, unit: .nanoseconds,
          target: .more(most))
      }
    }
  }
}
