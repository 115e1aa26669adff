extension PictureFigure {
  /// The SVG patterns that distinguish outcomes and noise without colours. A page contains them once.
  static let hatching: Markup = """
    <svg class="patterns" aria-hidden="true"><defs>
    <pattern id="o-interest" patternUnits="userSpaceOnUse" width="8" height="8"><rect class="ground" width="8" height="8"/><path d="M-1,1L1,-1M0,8L8,0M7,9L9,7"/></pattern>
    <pattern id="o-forbidden" patternUnits="userSpaceOnUse" width="8" height="8"><rect class="ground" width="8" height="8"/><path d="M0,0L8,8M0,8L8,0"/></pattern>
    <pattern id="o-noisy" patternUnits="userSpaceOnUse" width="7" height="7"><path d="M-1,1L1,-1M0,7L7,0M6,8L8,6"/></pattern>
    </defs></svg>

    """

  /// The style rules that a page with ``hatching`` needs.
  static let hatchingStyle: Markup = """
    .interest { fill: url(#o-interest); } .forbidden { fill: url(#o-forbidden); }
    rect.noisy { fill: url(#o-noisy); } #o-noisy path { stroke: var(--ink); stroke-opacity: .3; stroke-width: 1; fill: none; }
    #o-interest .ground { fill: light-dark(#fde3cd, #5a3413); } #o-interest path { stroke: light-dark(#e08a45, #a8622a); stroke-width: 1.6; fill: none; }
    #o-forbidden .ground { fill: light-dark(#f9d5d2, #5c2320); } #o-forbidden path { stroke: light-dark(#c9453c, #c2544c); stroke-width: 1.4; fill: none; }
    """

  /// Returns whether a page needs ``hatching``.
  static func needsHatching(_ contents: [ReportContent]) -> Bool {
    contents.contains {
      switch $0.picture {
      case .outcomes?, .heat?: true
      case .curve?, .dots?, nil: false
      }
    }
  }
}
