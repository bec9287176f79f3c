job "dialect" {
  vault_token  = "v"
  consul_token = "c"
  vault {
    policies = ["p"]
  }
  group "g" {
    consul {
      namespace = "ns"
    }
    vault {
      role = "r"
    }
    task "t" {
      consul {
        partition = "p"
      }
      vault {
        env = false
      }
      template {
        vault_grace = "5s"
      }
    }
    task "u" {}
  }
}
