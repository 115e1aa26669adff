/// How a series looks: a colour, a marker and a dash pattern, so that it is known without colours too.
struct Look {
  /// Its number: that of its variant, wherever that has one line.
  let number: Int
  /// Whether its failure is the lesson: then it is orange.
  let isBroken: Bool

  /// How many colours the page's style has.
  static let colors = 12
  /// How many dash patterns, the unbroken line among them.
  private static let dashes = 7

  /// The classes of colour and dash pattern.
  var classes: String { "\(isBroken ? "wrong" : "c\(number % Self.colors)") d\(number % Self.dashes)" }

  private static let markers = [
    "M-4.2,0a4.2,4.2 0 1,0 8.4,0a4.2,4.2 0 1,0 -8.4,0Z", "M-3.8,-3.8H3.8V3.8H-3.8Z", "M0,-5L5,4H-5Z",
    "M0,-5.4L5.4,0L0,5.4L-5.4,0Z",
    "M0,5L5,-4H-5Z", "M-1.6,-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z", "M-5,-2.6H5V2.6H-5Z",
  ]
  /// The marker, around 0.
  var marker: String { Self.markers[number % Self.markers.count] }

  /// The markers of rows, which need no others: what is broken, what others are compared with, and the rest.
  static let (plain, broken, reference) = (markers[0], markers[2], markers[3])
}
