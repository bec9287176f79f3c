locals {
  base  = "app"
  names = ["a", "b"]
  full  = "${local.base}-${var.env}"
}
locals {
  last  = local.late
  late  = { (local.full) = length(local.names) }
}
variables {
  env = "prod"
}
job "with-locals" {
  name = local.full
  meta = local.last
  group "g" {
    task "t" {
      env {
        NAMES = join(" ", local.names)
      }
      config {
        all = local.late
      }
    }
  }
}
