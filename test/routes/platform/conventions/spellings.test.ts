import { describe, expect, test } from 'vitest'
import { platform, testsOfModule } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { upload } from '../../../support/platform/platform-tests.ts'

describe('behaviour/platform#coercion: spellings of names', () => {
  test.each(['auto-apply', 'auto_apply', 'autoApply', 'AutoApply'])(
    'an attribute may be spelled %s',
    async (name) => {
      const { platform: api } = await platform()
      const path = 'organizations/example-org/workspaces'
      const made = await api.post(path, { data: { attributes: { name: 'net', [name]: true } } })
      expect([made.status, made.body.data.attributes['auto-apply']]).toEqual([201, true])
      const wrong = await api.patch(`${path}/net`, { data: { attributes: { [name]: 5 } } })
      expect([wrong.status, wrong.body]).toEqual([
        422,
        invalid(['auto-apply', 'Auto apply must be true or false']),
      ])
    },
  )

  test('of two spellings of one name the last one counts, even if the first is wrong', async () => {
    const { platform: api } = await platform()
    const attributes = { name: 'net', autoApply: 5, auto_apply: true }
    const made = await api.post('organizations/example-org/workspaces', { data: { attributes } })
    expect([made.status, made.body.data.attributes['auto-apply']]).toEqual([201, true])
  })

  test('members of nested objects, of objects in lists, and relationships have all spellings', async () => {
    const { platform: api } = await platform()
    const [team] = (await api.get('organizations/example-org/teams')).body.data
    for (const name of ['manageVCSSettings', 'ManageVcsSettings', 'manage_vcs_settings']) {
      const attributes = { OrganizationAccess: { 'manage-vcs-settings': false, [name]: true } }
      const changed = await api.patch(`teams/${team.id}`, { data: { attributes } })
      expect(changed.body.data.attributes['organization-access']).toMatchObject({
        'manage-vcs-settings': true,
      })
    }
    const variables = [{ Key: 'a', Value: '1' }]
    const version = (await api.post(`${testsOfModule}/test-runs/configuration-versions`)).body.data
    await upload(api, version.attributes['upload-url'], 'files')
    const relationships = { configurationVersion: { data: { id: version.id } } }
    const run = await api.post(`${testsOfModule}/test-runs`, {
      data: { attributes: { variables }, relationships },
    })
    expect([run.status, run.body.data.attributes.variables]).toEqual([
      201,
      [{ key: 'a', value: '1' }],
    ])
    expect(run.body.data.relationships['configuration-version'].data.id).toBe(version.id)
  })

  test.each(['projects', 'project', 'Projects', 'Project'])(
    'the type of a document may be %s',
    async (type) => {
      const { platform: api } = await platform()
      const attributes = { name: 'abc' }
      const made = await api.post('organizations/example-org/projects', {
        data: { type, attributes },
      })
      expect(made.status).toBe(201)
    },
  )

  test('the type of a setting may be singular, in either name', async () => {
    const { admin } = await platform({ dialect: 'vendor' })
    for (const type of ['twilio-setting', 'twilio_settings', 'TwilioSettings']) {
      const reply = await admin.patch('admin/twilio-settings', { data: { type, attributes: {} } })
      expect(reply.status).toBe(200)
    }
    const wrong = await admin.patch('admin/twilio-settings', {
      data: { type: 'smtp-settings', attributes: {} },
    })
    expect([wrong.status, wrong.body]).toEqual([422, failure(422, 'type must be twilio-settings')])
  })
})
