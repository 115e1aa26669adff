import GCDLab
import ExploredPatterns
import Patterns

Lab(patterns: Catalogue.patterns, files: Catalogue.files, explored: Explorations.all, name: "gcdlab").main()
