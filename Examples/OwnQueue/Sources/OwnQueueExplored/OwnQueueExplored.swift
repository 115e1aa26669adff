import Exploration

// Guarded.swift is a link to the file that the trials run. In this module, the file uses the model's queue.
typealias DispatchQueue = ModelQueue

/// The scenario of `explore own-queue`: two threads each add one, in every order of their steps.
public let exploredOwnQueue = ExploredPattern(
  "own-queue",
  [
    .init("wrapper", isBroken: false) { update { counter in counter.with { $0.value += 1 } } },
    // The caller reads in one call and writes in another, so another thread may run between the calls.
    .init("two-calls", isBroken: true) {
      update { counter in
        let value = counter.with { $0.value }
        counter.with { $0.value = value + 1 }
      }
    },
  ])

private func update(_ body: @escaping @Sendable (Guarded<Shared<Int>>) -> Void) {
  let counter = Guarded(Shared("the counter", 0))
  Execution.threads(2) { _ in body(counter) }
  let value = counter.with { $0.atEnd }
  if value != 2 { Execution.breaks("the counter is \(value)") }
}
