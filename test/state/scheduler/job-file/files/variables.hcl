variable "image" {
  type        = string
  default     = "redis"
  description = "What to run"
}
variable "version" {
  type    = number
  default = 7
}
variable "flags" {
  type    = list(string)
  default = ["a", "b"]
  validation {
    condition     = length(var.flags) < 3
    error_message = "At most two flags, please."
  }
}
variable "limits" {
  type = object({
    cpu    = number
    memory = string
  })
  default = { cpu = "100", memory = 64 }
}
variable "pair" {
  type    = tuple([string, bool])
  default = ["x", "true"]
}
variable "zones" {
  type    = set(string)
  default = ["b", "a", "b"]
}
variable "tags" {
  type    = map(string)
  default = { b = 1, a = "x" }
}
variable "free" {
  default = null
}
variables {
  region = "west"
  counts = [1, 2]
}
job "parameters" {
  region      = var.region
  datacenters = var.zones
  node_pool   = var.free
  meta {
    first = var.flags[0]
    pair  = "${var.pair[0]}-${var.pair[1]}"
    tags  = join(",", [for k, v in var.tags : "${k}=${v}"])
  }
  group "g" {
    count = var.counts[1]
    task "t" {
      driver = "docker"
      config {
        image = "${var.image}:${var.version}"
        args  = var.flags
        tags  = var.tags
      }
      resources {
        cpu    = var.limits.cpu
        memory = var.limits["memory"]
      }
    }
  }
}
