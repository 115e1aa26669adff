/// The style of a series: a colour, a marker and a dash pattern. The marker and the dash pattern identify the series
/// without colours.
struct SeriesStyle {
  /// The number that determines the colour, the marker and the dash pattern. If each variant has one series, the number
  /// is the index of the variant.
  let number: Int
  /// Whether the series belongs to a broken variant. Such a series is orange.
  let isBroken: Bool

  /// The number of colours in the page's style.
  static let colors = 12
  /// The number of dash patterns, including the solid line.
  private static let dashes = 7

  /// The CSS classes of the colour and of the dash pattern.
  var classes: String { "\(isBroken ? "wrong" : "c\(number % Self.colors)") d\(number % Self.dashes)" }

  private static let markers = [
    "M-4.2,0a4.2,4.2 0 1,0 8.4,0a4.2,4.2 0 1,0 -8.4,0Z", "M-3.8,-3.8H3.8V3.8H-3.8Z", "M0,-5L5,4H-5Z",
    "M0,-5.4L5.4,0L0,5.4L-5.4,0Z",
    "M0,5L5,-4H-5Z", "M-1.6,-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z", "M-5,-2.6H5V2.6H-5Z",
  ]
  /// The SVG of the marker, centred at the origin.
  var marker: String { Self.markers[number % Self.markers.count] }

  /// The markers of three kinds of rows: an ordinary row, a broken variant, and the reference with which other rows are
  /// compared.
  static let (plain, broken, reference) = (markers[0], markers[2], markers[3])
}
