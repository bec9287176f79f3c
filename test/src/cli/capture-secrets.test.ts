import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { SecretsFixtures } from '../../../state/secrets/fixtures.ts'
import { real, textOf } from './captures.ts'

/** Values that no capture may contain: each is a secret of the captured server. */
const secret = 'HUNTER2HUNTER2HUNTER2AAA'

const parts: SecretsFixtures = {
  plugins: [
    {
      type: 'secret',
      name: 'custom',
      sha256: 'ab'.repeat(32),
      command: 'run',
      args: ['-a', 'b'],
      version: 'v1.0.0',
    },
    { type: 'auth', name: 'gate', sha256: 'cd'.repeat(32), command: 'gate' },
  ],
  mounts: { 'custom/': { type: 'custom' } },
  totp: {
    'totp/': {
      app: { key: secret, account_name: 'ada', issuer: 'acme', digits: 8 },
      bare: { key: secret },
    },
  },
  logins: {
    'approle/': {
      type: 'approle',
      roles: {
        ci: {
          role_id: 'role-of-ci',
          secret_id_ttl: '10m',
          token_policies: ['deploy'],
          secret_ids: [{ secret_id: secret }],
        },
      },
    },
    'userpass/': { type: 'userpass', users: { ada: { password: secret, token_ttl: '1h' } } },
  },
  mfa: {
    methods: {
      phone: { type: 'totp', issuer: 'acme', skew: 0, period: 60 },
      duo: {
        type: 'duo',
        secret_key: secret,
        integration_key: secret,
        api_hostname: 'duo.example',
        push_info: 'from=tests',
      },
      okta: { type: 'okta', org_name: 'acme', api_token: secret, base_url: 'okta.example' },
      ping: {
        type: 'pingid',
        settings_file_base64: Buffer.from(
          `use_base64_key=${secret}\ntoken=${secret}\nidp_url=https://ping.example\nuse_signature=true`,
        ).toString('base64'),
      },
    },
    enforcements: {
      all: { mfa_method_ids: ['phone'], auth_method_accessors: ['userpass'] },
      robots: { mfa_method_ids: ['phone', 'duo'], auth_method_types: ['approle'] },
    },
  },
}

describe('behaviour/program#commands: understudy capture --service secrets', () => {
  const captureOf = (url = '') => textOf(['--from', url, '--service=secrets', '--token=root'])

  // choice/process#captured-secrets
  // choice/process#captured-role-ids
  test('TOTP keys, second factors, plug-ins, AppRole and users come back with placeholders', async () => {
    const from = await real({ fixtures: { secrets: parts } })
    const text = await captureOf(from.apiUrl('secrets'))
    expect(text).not.toMatch(/HUNTER2|left out/)
    const { secrets } = parse(text)
    expect(secrets).toMatchObject({
      plugins: parts.plugins?.toReversed(),
      mounts: { 'custom/': { type: 'custom' } },
      totp: {
        'totp/': {
          app: { key: 'PLACEHOLDERS', account_name: 'ada', issuer: 'acme', digits: 8 },
          bare: { key: 'PLACEHOLDERS' },
        },
      },
      logins: {
        'approle/': {
          roles: { ci: { role_id: 'role-of-ci', secret_id_ttl: 600, token_policies: ['deploy'] } },
        },
        'userpass/': { users: { ada: { password: 'placeholder', token_ttl: 3600 } } },
      },
      mfa: {
        methods: {
          phone: parts.mfa?.methods?.['phone'],
          duo: { api_hostname: 'duo.example', push_info: 'from=tests', secret_key: 'placeholder' },
          okta: { org_name: 'acme', base_url: 'okta.example', api_token: 'placeholder' },
        },
        enforcements: {
          all: { mfa_method_ids: ['phone'], auth_method_accessors: ['userpass/'] },
          robots: { mfa_method_ids: ['phone', 'duo'], auth_method_types: ['approle'] },
        },
      },
    })
    const again = await real({ fixtures: parse(text) })
    expect(parse(await captureOf(again.apiUrl('secrets'))).secrets).toEqual(secrets)
  })

  // choice/process#captured-enforcements
  test('enforcements for entities and groups are left out, because these are not captured', async () => {
    const from = await real({
      fixtures: {
        secrets: {
          identity: { entities: { ada: {} } },
          logins: { 'userpass/': { type: 'userpass', users: {} } },
          mfa: {
            methods: { phone: { type: 'totp', issuer: 'acme' } },
            enforcements: {
              ada: { mfa_method_ids: ['phone'], identity_entity_ids: ['ada'] },
              both: {
                mfa_method_ids: ['phone'],
                identity_entity_ids: ['ada'],
                auth_method_types: ['userpass'],
              },
            },
          },
        },
      },
    })
    const text = await captureOf(from.apiUrl('secrets'))
    expect(parse(text).secrets.mfa.enforcements).toEqual({
      both: { mfa_method_ids: ['phone'], auth_method_types: ['userpass'] },
    })
    // Servers list enforcements by their random ids.
    expect(text.match(/^# left out: enforcement .*$/gm)?.sort()).toEqual([
      '# left out: enforcement ada: its entities and groups',
      '# left out: enforcement both: its entities and groups',
    ])
  })
})
