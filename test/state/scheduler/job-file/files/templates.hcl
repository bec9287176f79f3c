job "render" {
  group "g" {
    task "t" {
      template {
        source          = "local/in.tpl"
        destination     = "local/out"
        change_mode     = "signal"
        change_signal   = "sighup"
        splay           = "1s"
        perms           = "0600"
        env             = true
        left_delimiter  = "[["
        right_delimiter = "]]"
        uid             = 1000
        gid             = 1000
        error_on_missing_key = true
        secrets_grace   = "1s"
        wait {
          min = "2s"
          max = "60s"
        }
      }
      template {
        data        = <<-TPL
          {{ range service "db" }}
            server {{ .Address }}:{{ .Port }}
          {{ end }}
          TPL
        destination = "local/db.conf"
        change_mode = "script"
        change_script {
          command             = "/bin/reload"
          args                = ["-x"]
          timeout             = "10s"
          fail_on_error       = true
        }
      }
      template {
        perms = null
      }
    }
  }
}
