job "numbers" {
  meta {
    abs      = abs(-12.5)
    ceil     = ceil(1.2)
    floor    = floor(-1.2)
    log      = log(8, 2)
    max      = max(1, 12.5, 3)
    min      = min(4, -2)
    parseint = parseint("ff", 16)
    pow      = pow(2, 10)
    signum   = signum(-3)
  }
}
