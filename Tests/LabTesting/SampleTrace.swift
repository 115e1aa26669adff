import Laboratory

extension Trace {
  /// An invented trial of 10 ms: three blocks on a serial queue, a barrier, two pool threads, and a caller that waits
  /// for the group of all blocks.
  public static let sample = Trace(
    scenario: "sample", variant: "group-wait", cores: [0, 1], length: 10_000_000,
    queues: [Queue(label: "lab.serial", kind: .serial), Queue(label: "lab.both", kind: .concurrent)],
    lanes: [
      Lane(
        thread: 101, name: "caller", kind: .caller, begin: 0,
        runs: [
          RunInterval(begin: 0, end: 1_000_000, core: 0), RunInterval(begin: 9_500_000, end: 10_000_000, core: 0),
        ],
        waits: [Wait(begin: 900_000, end: 9_500_000, for: .group)]),
      Lane(thread: 100, name: "main", kind: .main, begin: 0, end: 100_000),
      Lane(
        thread: 102, name: "pool 1", kind: .pool, begin: 800_000,
        runs: [
          RunInterval(begin: 1_000_000, end: 3_000_000, core: 1, isPreempted: true),
          RunInterval(begin: 3_500_000, end: 7_000_000, core: 0),
        ],
        waits: [Wait(begin: 7_000_000, end: nil, for: .work)]),
      Lane(
        thread: 103, name: "pool 2", kind: .pool, begin: 900_000,
        runs: [
          RunInterval(begin: 3_000_000, end: 3_200_000, core: 1),
          RunInterval(begin: 7_200_000, end: 9_400_000, core: 1),
        ],
        waits: [Wait(begin: 3_200_000, end: 7_200_000, for: .semaphore)]),
    ],
    blocks: [
      Block(
        .async, queue: 0, number: 1, submitted: 700_000, submitter: 0, lane: 2, begin: 1_100_000, end: 4_000_000),
      Block(
        .async, queue: 0, number: 2, submitted: 750_000, submitter: 0, lane: 2, begin: 4_000_000, end: 6_900_000),
      Block(
        .async, isBarrier: true, queue: 1, number: 1, submitted: 800_000, submitter: 0, lane: 3, begin: 3_100_000,
        end: 9_300_000),
      Block(.async, queue: 1, number: 2, submitted: 850_000, submitter: 0),
    ],
    accounts: [Account(lane: 0, reported: 1_510_000, recorded: 1_500_000)])
}
