/** Key of the second factor and of the one-time passwords in `everyFixture`, in base32. */
export const totpKey = 'JBSWY3DPEHPK3PXP'

/**
 * YAML fixtures with engines, logins, identity tokens, second factors, quotas and plug-ins. The
 * fixtures name objects that they do not define, and need no options
 * (behaviour/secrets#fixture-objects).
 */
export const everyFixture = `secrets:
  pki:
    pki:
      roots: [{ common_name: R, issuer_name: fx, key_type: ec, ttl: 87600h }]
      roles: { web: { allowed_domains: example.com, allow_subdomains: true } }
      urls: {}
      crl: {}
  ssh:
    ssh:
      ca: { key_type: ed25519 }
      roles: { dev: { key_type: ca, allow_user_certificates: true } }
  totp: { totp: { app: { key: ${totpKey}, account_name: a } } }
  database:
    database:
      connections:
        pg:
          plugin_name: postgresql-database-plugin
          connection_url: postgresql://{{username}}:{{password}}@db:5432/app
          username: admin
          password: adminpw
          allowed_roles: '*'
      roles: { app: { db_name: pg, creation_statements: 'CREATE ROLE "{{name}}"' } }
      staticRoles: { st: { db_name: pg, username: st, rotation_period: 1h } }
  logins:
    ldap: { type: ldap, config: { url: ldap://ldap }, groups: { dev: { policies: devs } }, users: {} }
    github:
      type: github
      config: { organization: acme }
      teams: { dev-team: devs }
      users: { Alice: ali }
    okta: { type: okta, config: { org_name: acme }, groups: {}, users: {} }
    cert: { type: cert, certs: {} }
    oidc:
      type: oidc
      config:
        oidc_discovery_url: http://127.0.0.1:8200/v1/identity/oidc/provider/default
        oidc_client_id: app
        oidc_client_secret: hunter2
      roles: {}
  oidc:
    config: {}
    keys: {}
    roles: {}
    assignments: {}
    scopes: {}
    clients: { app: { client_id: app, client_secret: hunter2, redirect_uris: http://localhost:8250/oidc/callback } }
    providers: {}
  mfa:
    methods: { phone: { type: totp, issuer: acme, secrets: { ada: ${totpKey} } } }
    enforcements: {}
  quotas: { rateLimits: {}, leaseCounts: {} }
  plugins:
    - { type: secret, name: mine, sha256: ${'ab'.repeat(32)}, command: mine, version: v1.0.0 }
`
