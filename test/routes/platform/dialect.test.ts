import { describe, expect, test } from 'vitest'
import { platform } from '../../support/platform/platform.ts'
import { runDocument, runsPath } from '../../support/platform/platform-tests.ts'

/**
 * Words of the API in both dialects, which callers may also choose for their own names and values.
 */
const words = [
  'infra',
  'terraform',
  'sms',
  'twilio',
  'ent-api',
  'tfe-api',
  'cloud1-enabled',
  'aws-enabled',
  'sms-settings',
  'support@example.com',
  'support@hashicorp.com',
  'Queued manually via the API',
  'Queued manually via the Terraform Enterprise API',
]

describe.each(['neutral', 'vendor'] as const)(
  'values that callers choose stay unchanged: %s',
  (dialect) => {
    test('attributes of test runs keep the words that callers choose', async () => {
      const { platform: api } = await platform({ dialect })
      const attributes = {
        filters: words,
        'test-directory': words[0],
        variables: words.map((word) => ({ key: word, value: word })),
      }
      const created = await api.post(runsPath, runDocument(attributes))
      expect([created.status, created.body.data.attributes]).toEqual([
        201,
        expect.objectContaining(attributes),
      ])
    })

    test('keys, values and descriptions of variables', async () => {
      const { platform: api } = await platform({ dialect })
      for (const word of words) {
        const key = word.replaceAll(/[^a-z]/gi, '_')
        const attributes = { key, value: word, description: word, category: 'env' }
        const path = runsPath.replace('test-runs', 'vars')
        const created = await api.post(path, { data: { type: 'vars', attributes } })
        expect([created.status, created.body.data.attributes]).toEqual([
          201,
          expect.objectContaining(attributes),
        ])
      }
    })

    test('names of teams and modules', async () => {
      const { platform: api } = await platform({ dialect })
      for (const name of ['infra', 'terraform', 'sms', 'twilio', 'ent-api', 'tfe-api']) {
        const team = await api.post('organizations/example-org/teams', {
          data: { type: 'teams', attributes: { name } },
        })
        expect(team.body.data?.attributes?.name).toBe(name)
        const module = await api.post('organizations/example-org/registry-modules', {
          data: { type: 'registry-modules', attributes: { name, provider: 'infra' } },
        })
        expect(module.body.data?.attributes).toMatchObject({ name, provider: 'infra' })
      }
    })

    test('settings whose value is a default in either dialect', async () => {
      const { admin } = await platform({ dialect })
      for (const address of ['support@example.com', 'support@hashicorp.com']) {
        const attributes = { 'support-email-address': address, footer: 'infra' }
        const changed = await admin.patch('admin/customization-settings', { data: { attributes } })
        expect(changed.body.data.attributes).toMatchObject(attributes)
      }
    })

    test('values that refusals repeat', async () => {
      const { platform: api } = await platform({ dialect })
      const { body: teams } = await api.get('organizations/example-org/teams')
      for (const word of ['infra', 'terraform', 'Queued manually via the API']) {
        const reply = await api.post(`teams/${teams.data[0].id}/relationships/users`, {
          data: [{ type: 'users', id: word }],
        })
        expect([reply.status, reply.body.errors[0].detail]).toEqual([
          400,
          `user ${word} was not found`,
        ])
      }
    })
  },
)
