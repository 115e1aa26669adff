import Explored
import GCDLab
import Patterns

Lab(patterns: Catalogue.patterns, files: Catalogue.files, explored: Explorations.all, name: "gcdlab").main()
