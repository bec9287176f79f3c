import { expect, test } from 'vitest'
import { addAssessment } from '../../../../state/platform/assessments/creation.ts'
import { allSentRequests } from '../../../../state/platform/deliveries/sent-requests.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { withConfiguration } from '../../../support/platform/platform-runs.ts'
import { giveRights, resource } from '../../../support/platform/platform-workspaces.ts'

test('behaviour/platform#assessments: the newest one is the current one, and its outputs are for administrators', async () => {
  const { api, as, id, runs, clock, world } = await withConfiguration()
  await runs.create({ 'auto-apply': true })
  clock.advance(10_000)
  const current = `workspaces/${id}/current-assessment-result`
  expect((await api.get(current)).status).toBe(404)
  const names = ['drifted', 'check_failure', 'failed'].map((name) => `assessment:${name}`)
  const hook = { name: 'h', 'destination-type': 'generic', url: 'https://hook.example/a' }
  const attributes = { ...hook, enabled: true, triggers: names }
  const configurations = `workspaces/${id}/notification-configurations`
  const made = await api.post(configurations, resource('notification-configurations', attributes))
  expect(made.status).toBe(201)
  const { id: failed } = addAssessment(world, { workspace: id, succeeded: false })
  const added = addAssessment(world, { workspace: 'net', drifted: true, checks: { failed: 2 } })
  const { data } = (await api.get(current)).body
  expect(data).toMatchObject({
    id: expect.stringMatching(/^asmtres-/),
    type: 'assessment-results',
    attributes: {
      drifted: true,
      succeeded: true,
      'error-msg': null,
      'resources-drifted': 1,
      'resources-undrifted': 0,
      'all-checks-succeeded': false,
      'checks-failed': 2,
      'checks-passed': 0,
    },
    relationships: { workspace: { data: { id, type: 'workspaces' } } },
  })
  expect(data.id).toBe(added.id)
  const sent = allSentRequests(world).filter(({ body }) => body['trigger_scope'] === 'assessment')
  // choice/platform#assessment-messages
  expect(sent.map(({ body }) => [body['trigger'], body['message']])).toEqual([
    [names[2], 'Health Assessment Failed'],
    [names[0], 'Drift Detected'],
    [names[1], 'Checks Failed'],
  ])
  expect(sent[1]).toMatchObject({
    kind: 'notification',
    url: hook.url,
    body: {
      payload_version: 2,
      notification_configuration_id: made.body.data.id,
      notification_configuration_url: expect.stringMatching(
        `/api/v2/notification-configurations/${made.body.data.id}$`,
      ),
      message: 'Drift Detected',
      details: {
        new_assessment_result: {
          id: added.id,
          url: expect.stringMatching(`^http.*/api/v2/assessment-results/${added.id}$`),
          drifted: true,
          resources_drifted: 1,
          created_at: data.attributes['created-at'].replace(/\.\d+Z$/, 'Z'),
        },
        prior_assessment_result: { id: failed, succeeded: false },
        workspace_id: id,
        organization_name: 'example-org',
      },
    },
  })
  const workspace = (await api.get(`workspaces/${id}`)).body.data
  expect(workspace.attributes['last-assessment-result-at']).toBe(data.attributes['created-at'])
  expect(workspace.relationships['current-assessment-result'].data.id).toBe(data.id)

  const path = `assessment-results/${data.id}`
  const output = (await api.get(`${path}/json-output`)).body
  expect(output.resource_drift).toMatchObject([{ address: 'null_resource.a' }])
  expect((await api.get(`${path}/json-schema`)).body.provider_schemas).toEqual({})
  expect((await api.get(`${path}/log-output`)).text).toBe(
    'Drifted resources: 1\nFailed checks: 2\n',
  )
  const member = as('member-token')
  expect((await member.get(path)).status).toBe(404)
  await giveRights(api, 'read-workspaces')
  expect((await member.get(path)).body).toEqual({ data })
  for (const token of ['member-token', extraTokens.organization]) {
    for (const name of ['json-output', 'json-schema', 'log-output']) {
      expect((await as(token).get(`${path}/${name}`)).status).toBe(404)
    }
  }
})
