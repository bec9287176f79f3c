variable "image" {
  type    = string
  default = "redis"
}
variable "count" {
  type = number
}
variable "datacenters" {
  type    = list(string)
  default = ["dc1"]
}
variables {
  kept = "default"
}
job "set" {
  datacenters = var.datacenters
  meta {
    kept = var.kept
  }
  group "g" {
    count = var.count
    task "t" {
      config {
        image = var.image
      }
    }
  }
}
