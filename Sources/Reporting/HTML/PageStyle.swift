extension HTMLReport {
  /// The style rules for text and tables, which every page contains.
  static let style: Markup = """
    :root { color-scheme: light dark; --ink: light-dark(#1c2024, #e6e8eb); --quiet: light-dark(#60646c, #a0a6ae);
      --page: light-dark(#fff, #14171a); --line: light-dark(#dfe2e6, #2e3338); --good: light-dark(#0b6b3a, #5fd18f);
      --bad: light-dark(#b3261e, #ff8a80); --care: light-dark(#a8480a, #ffa657); }
    body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 1100px; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; margin: 1.5rem 0 .25rem; } h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
    small { font-weight: normal; color: var(--quiet); font-size: .85em; }
    .quiet { color: var(--quiet); font-size: .875rem; margin: .15rem 0; overflow-wrap: anywhere; }
    code { font: .9em ui-monospace, monospace; }
    .conclusion { font-weight: 600; font-size: 1.1rem; margin: .25rem 0 1rem; } a { color: inherit; }
    nav details { max-width: none; margin: .4rem 0; } nav td { text-align: left; vertical-align: top; } nav td + td, .sentences td { white-space: normal; }
    ul { padding-left: 1.2rem; margin: .25rem 0; } ul.warnings li::marker { color: var(--care); }
    ul.claims { list-style: none; padding: 0; } ul.claims li { display: flex; gap: .75rem; margin: .6rem 0; }
    .verdict { flex: 0 0 7.5rem; text-align: center; align-self: flex-start; border: 1px solid; border-radius: 1rem;
      font-size: .8rem; padding: .1rem 0; }
    .good { color: var(--good); } .bad { color: var(--bad); font-weight: bold; } .care { color: var(--care); }
    .none { color: var(--quiet); }
    .scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th, td { text-align: right; padding: .2rem .75rem .2rem 0; white-space: nowrap; font-size: .9rem; }
    th:first-child { text-align: left; } thead th { color: var(--quiet); font-weight: normal; border-bottom: 1px solid var(--line); }
    tbody th { font-weight: normal; } tbody th:first-child { font-weight: 600; } tr.broken th { color: var(--care); }
    td.best { color: var(--good); } summary { cursor: pointer; } details { max-width: 46rem; } details.wide { max-width: none; } pre { overflow-x: auto; }
    .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 1.5rem; margin-top: 1.5rem; }
    figure { margin: 0; } figcaption { font-size: .9rem; color: var(--quiet); } figcaption b { color: var(--ink); }
    .code { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 1rem; margin-top: .75rem; }
    pre { overflow-x: auto; border: 1px solid var(--line); padding: .6rem .75rem; margin: .35rem 0; font-size: .82rem; line-height: 1.4; }
    .broken figcaption b { color: var(--care); }
    .c0 { --c: light-dark(#1f6feb, #6ea8ff); } .c1 { --c: light-dark(#0b6f7d, #4fd1e0); } .c2 { --c: light-dark(#1a7f37, #56d364); }
    .c3 { --c: light-dark(#8250df, #c297ff); } .c4 { --c: light-dark(#bf3989, #ff80c8); } .c5 { --c: light-dark(#5f6b00, #c6d06a); }
    .c6 { --c: light-dark(#8c2f4b, #ff9fb4); } .c7 { --c: light-dark(#57606a, #aab2bb); }
    .c8 { --c: light-dark(#3d5a80, #98b8e0); } .c9 { --c: light-dark(#2f6f4f, #8fd6b0); } .c10 { --c: light-dark(#5b4bb5, #a79bff); }
    .c11 { --c: light-dark(#6d4c41, #c9a99b); }
    section { break-before: page; } nav th { vertical-align: top; }
    @media print { details::details-content { content-visibility: visible; display: block; } summary { list-style: none; }
      figure, tr, ul.claims li { break-inside: avoid; } h1, h2, summary { break-after: avoid; } pre { white-space: pre-wrap; }
      .scroll { overflow: visible; } main { padding: 0; max-width: none; } }
    @media (max-width: 700px) { nav :is(table, tbody, tr, th, td) { display: block; padding-right: 0; white-space: normal; text-align: left; }
      nav tr { margin: .6rem 0; } }
    .narrow { display: none; }
    @media (max-width: 520px) { .narrow { display: block; } .room { display: none; } td:last-child { white-space: normal; }
      ul.claims li { flex-direction: column; gap: .2rem; } .verdict { flex-basis: auto; padding: .1rem .75rem; } }
    """

  /// The style rules for pictures, which every page contains. The text of a picture has the same size at any width.
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
