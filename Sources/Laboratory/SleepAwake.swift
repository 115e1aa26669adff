extension Clock where Duration == Swift.Duration {
  /// Sleeps for `duration` of the time in which this process can run, to an eighth of it.
  ///
  /// A watchdog must not take for a hang that the lab was stopped (Ctrl-Z) or the machine asleep: clocks go on, and a
  /// worker that was done long ago would be found past its time. So the time is slept in slices, of which such a gap
  /// ends only the one it fell into.
  func sleepAwake(for duration: Duration) async throws {
    let slices = 8
    for _ in 0..<slices { try await sleep(for: duration / slices) }
  }
}
