job "often" {
  type = "sysbatch"
  periodic {
    crons = ["0 6 * * 1-5", "@weekly"]
  }
}
