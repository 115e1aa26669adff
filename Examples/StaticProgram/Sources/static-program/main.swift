import Dispatch

/// The sum of the squares below a number, computed by one tiny block for each.
func sumOfSquares(below limit: Int) -> Int {
  let total = DispatchQueue(label: "static-program.total")
  nonisolated(unsafe) var sum = 0
  for number in 0..<limit {
    total.async { sum += number * number }
  }
  return total.sync { sum }
}

print(sumOfSquares(below: 20_000))
