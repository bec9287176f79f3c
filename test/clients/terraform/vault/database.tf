resource "vault_database_secrets_mount" "all" {
  path                      = "database"
  default_lease_ttl_seconds = local.ttl

  postgresql {
    name              = "inline"
    username          = "admin"
    password          = "admin-password"
    connection_url    = "postgresql://{{username}}:{{password}}@db:5432/app"
    verify_connection = true
    allowed_roles     = local.second ? ["app", "static"] : ["app"]
  }
}

resource "vault_mount" "database" {
  path = "database2"
  type = "database"
}

resource "vault_database_secret_backend_connection" "postgres" {
  backend           = vault_mount.database.path
  name              = "postgres"
  allowed_roles     = local.second ? ["app", "reports"] : ["*"]
  verify_connection = true

  postgresql {
    connection_url          = "postgresql://{{username}}:{{password}}@db:5432/app"
    username                = "admin"
    password                = "admin-password"
    max_open_connections    = local.second ? 8 : 4
    max_connection_lifetime = 60
  }
}

resource "vault_database_secret_backend_connection" "mysql" {
  backend           = vault_mount.database.path
  name              = "mysql"
  allowed_roles     = ["*"]
  verify_connection = false
  data              = { username = "admin", password = "admin-password" }

  mysql {
    connection_url = "{{username}}:{{password}}@tcp(db:3306)/"
  }
}

resource "vault_database_secret_backend_role" "app" {
  backend               = vault_mount.database.path
  name                  = "app"
  db_name               = vault_database_secret_backend_connection.postgres.name
  creation_statements   = ["CREATE ROLE \"{{name}}\" LOGIN PASSWORD '{{password}}';"]
  revocation_statements = ["DROP ROLE \"{{name}}\";"]
  default_ttl           = local.ttl
  max_ttl               = 86400
}

resource "vault_database_secret_backend_static_role" "reports" {
  backend             = vault_mount.database.path
  name                = "reports"
  db_name             = vault_database_secret_backend_connection.postgres.name
  username            = "reports"
  rotation_period     = local.ttl
  rotation_statements = ["ALTER USER \"{{name}}\" WITH PASSWORD '{{password}}';"]
}

resource "vault_database_secret_backend_connection" "mongodb" {
  backend           = vault_mount.database.path
  name              = "mongodb"
  allowed_roles     = [var.step]
  verify_connection = false

  mongodb {
    connection_url = "mongodb://{{username}}:{{password}}@db:27017/admin"
    username       = "admin"
    password       = "admin-password"
  }
}

resource "vault_database_secret_backend_connection" "mssql" {
  backend           = vault_mount.database.path
  name              = "mssql"
  allowed_roles     = [var.step]
  verify_connection = false

  mssql {
    connection_url = "sqlserver://{{username}}:{{password}}@db:1433"
    username       = "admin"
    password       = "admin-password"
    contained_db   = local.second
  }
}

resource "vault_database_secret_backend_connection" "redis" {
  backend           = vault_mount.database.path
  name              = "redis"
  allowed_roles     = [var.step]
  verify_connection = false

  redis {
    host     = "db"
    port     = 6379
    username = "admin"
    password = "admin-password"
  }
}

resource "vault_database_secret_backend_connection" "cassandra" {
  backend           = vault_mount.database.path
  name              = "cassandra"
  allowed_roles     = [var.step]
  verify_connection = false

  cassandra {
    hosts    = ["db"]
    port     = 9042
    username = "admin"
    password = "admin-password"
  }
}

resource "vault_database_secret_backend_connection" "elasticsearch" {
  backend           = vault_mount.database.path
  name              = "elasticsearch"
  allowed_roles     = [var.step]
  verify_connection = false

  elasticsearch {
    url      = "http://db:9200"
    username = "admin"
    password = "admin-password"
  }
}

resource "vault_database_secret_backend_connection" "write_only" {
  backend                  = vault_mount.database.path
  name                     = "write-only"
  allowed_roles            = ["keys"]
  root_rotation_statements = ["ALTER USER \"{{name}}\" WITH PASSWORD '{{password}}';"]

  postgresql {
    connection_url      = "postgresql://{{username}}:{{password}}@db:5432/app"
    username            = "admin"
    password_wo         = "admin-password"
    password_wo_version = 1
    username_template   = "{{.RoleName}}-{{random 8}}"
  }
}

resource "vault_database_secret_backend_role" "keys" {
  backend             = vault_mount.database.path
  name                = "keys"
  db_name             = vault_database_secret_backend_connection.write_only.name
  creation_statements = ["CREATE ROLE \"{{name}}\" LOGIN;"]
  credential_type     = "rsa_private_key"
  credential_config   = { key_bits = "2048", format = "pkcs8" }
  default_ttl         = local.ttl
}
