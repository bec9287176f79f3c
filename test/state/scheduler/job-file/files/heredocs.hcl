variables {
  hosts = ["a", "b", "c"]
  debug = true
}
job "documents" {
  group "g" {
    task "t" {
      env {
        FLAT = <<EOT
  kept
    as is
EOT
        INDENTED = <<-EOT
            four
              six
            four
          EOT
        LOOP = <<-EOT
          %{ for host in var.hosts ~}
          server ${host}
          %{ endfor ~}
          end
        EOT
        CASE  = "%{ if var.debug }debug%{ else }quiet%{ endif }"
        PAIRS = "%{ for i, h in var.hosts }${i}${h}%{ endfor }"
        TRIM  = "a   ${~ "b" ~}   c"
      }
    }
  }
}
