extension HTMLReport {
  /// The part of every page's style that pictures need. Text keeps its size at any width.
  static let pictureStyle: Markup = """
    h1 { line-height: 1.25; } .back { font-size: .8rem; margin: 0; } .back a { color: var(--quiet); }
    nav h2 { margin-bottom: .1rem; } nav .contents { width: 100%; table-layout: fixed; } nav .contents :is(th, td) { white-space: normal; padding: .3rem 1rem .3rem 0; } .contents th { width: 11rem; } .contents td:last-child { width: 13rem; font-size: .8rem; }
    @media print { .back { display: none; } } @media (max-width: 700px) { nav .contents :is(th, td), nav .contents td:last-child { width: auto; padding: 0; } }
    .wrong { --c: var(--care); } .right { --c: light-dark(#1f6feb, #6ea8ff); }
    .grid { stroke: var(--line); } .tick { fill: var(--quiet); font-size: 12px; } .end { text-anchor: end; } .mid { text-anchor: middle; }
    polyline { fill: none; stroke: var(--c); stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
    .leader { stroke: var(--c); stroke-width: 2; } .span { stroke: var(--c); stroke-width: 1.5; stroke-opacity: .55; }
    .d1 :is(polyline, .leader) { stroke-dasharray: 7 4; } .d2 :is(polyline, .leader) { stroke-dasharray: 2 3; }
    .d3 :is(polyline, .leader) { stroke-dasharray: 9 3 2 3; } .d4 :is(polyline, .leader) { stroke-dasharray: 13 4; }
    .d5 :is(polyline, .leader) { stroke-dasharray: 6 3 2 3 2 3; } .d6 :is(polyline, .leader) { stroke-dasharray: 4 6; }
    svg.mark, svg.names { overflow: visible; } .mark path { fill: var(--c); stroke: var(--page); stroke-width: 1; } .mark.hollow path { fill: var(--page); stroke: var(--c); stroke-width: 2; } .mark.noisy path { fill: var(--page); stroke: var(--c); stroke-width: 1.6; stroke-dasharray: 2 1.6; } .strip .mark text { fill: var(--ink); stroke: var(--page); stroke-width: 3px; paint-order: stroke; }
    .heat .name { overflow-wrap: normal; } .picture { max-width: 54rem; margin: .75rem 0 1.5rem; break-inside: avoid; } .picture figcaption { margin-bottom: .35rem; }
    .chart { container-type: inline-size; } .chart > svg { display: block; overflow: visible; margin: 0 var(--right) 0 var(--left); width: calc(100% - var(--left) - var(--right)); }
    .chart text { font-size: 12px; fill: var(--ink); } .chart .tick { fill: var(--quiet); }
    .keys { margin: .35rem 0 0; font-size: .8rem; } .key { white-space: nowrap; margin-right: .75rem; } .key svg { vertical-align: -.15em; overflow: visible; margin-right: .2em; }
    .chart .keys { display: none; } .chart.keyed .keys { display: block; }
    @container (max-width: 460px) { .chart > svg { margin-right: 14px; width: calc(100% - var(--left) - 14px); } .chart .names { display: none; } .chart .keys { display: block; } }
    .ridges svg { width: 100%; overflow: visible; } .ridges rect { fill: var(--c); } .ridges .name { fill: var(--ink); font-size: 12px; }
    .legend { color: var(--quiet); font-size: .8rem; margin: .35rem 0 0; }
    .strips { display: grid; grid-template-columns: minmax(3rem, max-content) minmax(0, 1fr) minmax(0, max-content); column-gap: .9rem; align-items: center; font-size: .85rem; line-height: 1.25; }
    .strips h3 { grid-column: 1 / -1; font-size: .85rem; margin: .6rem 0 .15rem; } .strip { display: contents; } .strip svg:not(.mark) { width: 100%; display: block; overflow: visible; }
    .strip text { font-size: 12px; fill: var(--ink); } .strip .tick { fill: var(--quiet); } .strip.broken .name, .strips .broken { color: var(--care); } .strip .name { overflow-wrap: anywhere; }
    .strip .figure { font-variant-numeric: tabular-nums; } .strip .figure b { font-weight: 600; } .strip .figure i { color: var(--quiet); }
    .reference { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 4 3; stroke-opacity: .7; }
    .allowed { fill: light-dark(#cfe3f7, #24425f); } .open { fill: light-dark(#e6e8eb, #33383e); }
    rect:is(.allowed, .open, .interest, .forbidden) { stroke: var(--page); stroke-width: 1; } .strip text.on { stroke: var(--page); stroke-opacity: .8; stroke-width: 3px; paint-order: stroke; stroke-linejoin: round; }
    .patterns { position: absolute; width: 0; height: 0; }
    .cell { stroke: var(--page); stroke-width: 2; } .cell.none { fill: none; } .cell.worse { fill: light-dark(#7048c8, #9d7bea); } .cell.better { fill: light-dark(#1a7f37, #3fb95f); }
    .better ~ text { font-style: italic; } .strip text.best { font-weight: 700; }
    @media (max-width: 620px) { .picture:not(.heat) .strip { display: grid; grid-column: 1 / -1; grid-template-columns: 1fr auto; column-gap: .75rem; margin-bottom: .3rem; }
      .picture:not(.heat) .strip > svg { grid-row: 2; grid-column: 1 / -1; } .picture:not(.heat) .strip .figure { text-align: right; } .picture:not(.heat) .strip.edge { margin-bottom: 0; } .picture:not(.heat) .strip.edge :is(.name, .figure) { display: none; } }
    """
}
