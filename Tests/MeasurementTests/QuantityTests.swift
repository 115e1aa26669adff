import Measurement
import Testing

@Suite struct QuantityTests {
  @Test(arguments: [
    ("50ns", 50, Unit.nanoseconds), ("2ms", 2e6, .nanoseconds), ("1.5us", 1500, .nanoseconds),
    ("1_000_000", 1e6, .none), ("64KiB", 65_536, .bytes), ("0", 0, .none), ("2 s", 2e9, .nanoseconds),
    ("10%", 10, .percent), ("5/s", 5, .perSecond), ("2KiB/s", 2048, .bytesPerSecond),
  ])
  func `a quantity is read with its unit`(_ text: String, _ value: Double, _ unit: Unit) throws {
    #expect(try Quantity(parsing: text) == Quantity(value, unit))
  }

  @Test(arguments: ["", "ns", "x5", "_5", "1..2", "--1", "5 lightyears", "1e999", "nan", "inf"])
  func `parsing an invalid quantity throws an error`(_ text: String) {
    #expect(throws: QuantityError.self) { try Quantity(parsing: text) }
  }

  @Test(arguments: [
    (0, Unit.nanoseconds, "0 ns"), (3.2, .nanoseconds, "3.20 ns"), (0.671, .nanoseconds, "0.671 ns"),
    (999.9, .nanoseconds, "1.00 us"), (3_210, .nanoseconds, "3.21 us"), (1_400_000, .nanoseconds, "1.40 ms"),
    (12e9, .nanoseconds, "12 s"), (65_536, .bytes, "64 KiB"), (1_234_567, .perSecond, "1.23 M/s"),
    (2_097_152, .bytesPerSecond, "2 MiB/s"),
    (340, .none, "340"), (99_999, .none, "99,999"), (123_456, .none, "123 k"), (-5, .none, "-5"),
    (97.25, .percent, "97.3 %"), (-123.4, .percent, "-123 %"), (1e28, .nanoseconds, "1e+19 s"),
    (-1e300, .percent, "-1e+300 %"),
  ])
  func `a quantity is printed with its unit`(_ value: Double, _ unit: Unit, _ text: String) {
    #expect(Quantity(value, unit).description == text)
  }
}
