import Dispatch

/// Returns the sum of the squares of the numbers below `limit`. A separate small block adds each square.
func sumOfSquares(below limit: Int) -> Int {
  let total = DispatchQueue(label: "static-program.total")
  nonisolated(unsafe) var sum = 0
  for number in 0..<limit {
    total.async { sum += number * number }
  }
  return total.sync { sum }
}

print(sumOfSquares(below: 20_000))
