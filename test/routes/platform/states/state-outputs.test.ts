import { describe, expect, test } from 'vitest'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import {
  base64,
  createState,
  stateFile,
  withLockedWorkspace,
} from '../../../support/platform/platform-states.ts'
import { giveRights } from '../../../support/platform/platform-workspaces.ts'

const outputs = {
  plain: { value: ['a', 1], type: ['tuple', ['string', 'number']] },
  hidden: { value: 's3cret', type: 'string', sensitive: true },
}
const state = stateFile({ outputs })
const unavailable = { errors: [{ status: '503', title: 'service unavailable' }] }

describe('behaviour/platform#state-outputs', () => {
  // choice/platform#state-list-values
  test.each(['neutral', 'vendor'] as const)(
    '%s: lists are by name; those of a workspace hide sensitive values',
    async (dialect) => {
      const { api, id } = await withLockedWorkspace({ dialect })
      const version = (await createState(api, id, { state })).body.data.id
      const current = await api.get(`workspaces/${id}/current-state-version-outputs`)
      expect(current.body).toEqual({
        data: [
          {
            id: expect.stringMatching(/^wsout-[1-9A-HJ-NP-Za-km-z]{16}$/),
            type: 'state-version-outputs',
            attributes: {
              name: 'hidden',
              sensitive: true,
              type: 'string',
              value: null,
              'detailed-type': 'string',
            },
            links: { self: `/api/v2/state-version-outputs/${current.body.data[0].id}` },
          },
          {
            id: current.body.data[1].id,
            type: 'state-version-outputs',
            attributes: {
              name: 'plain',
              sensitive: false,
              type: 'array',
              value: ['a', 1],
              'detailed-type': ['tuple', ['string', 'number']],
            },
            links: { self: `/api/v2/state-version-outputs/${current.body.data[1].id}` },
          },
        ],
      })
      const list = (await api.get(`state-versions/${version}/outputs`)).body
      const [hidden, plain] = current.body.data
      const shown = { ...hidden, attributes: { ...hidden.attributes, value: 's3cret' } }
      expect(list.data).toEqual([shown, plain])
      expect(list.meta.pagination['total-count']).toBe(2)
      const one = await api.get(`state-version-outputs/${current.body.data[0].id}`)
      expect(one.body.data.attributes.value).toBe('s3cret')
    },
  )

  test('without a state, the outputs of a workspace are 404; unknown ids are 404', async () => {
    const { api, id } = await withLockedWorkspace()
    expect((await api.get(`workspaces/${id}/current-state-version-outputs`)).status).toBe(404)
    expect((await api.get('state-version-outputs/wsout-unknown')).status).toBe(404)
    expect((await api.get('state-versions/sv-unknown/outputs')).status).toBe(404)
  })

  test('lists are 503 until the state is processed', async () => {
    const options = { stateProcessingTime: '5s' }
    const { api, id, clock } = await withLockedWorkspace({ options })
    const version = (await createState(api, id, { state })).body.data.id
    const paths = [
      `workspaces/${id}/current-state-version-outputs`,
      `state-versions/${version}/outputs`,
    ]
    for (const path of paths) {
      const { status, body } = await api.get(path)
      expect([status, body]).toEqual([503, unavailable])
    }
    await clock.advance(5000)
    for (const path of paths) expect((await api.get(path)).body.data).toHaveLength(2)
  })

  test('outputs that were sent along are known at once', async () => {
    const options = { stateProcessingTime: '5s' }
    const { api, id } = await withLockedWorkspace({ options })
    const sent = { 'json-state-outputs': base64(JSON.stringify(outputs)) }
    await createState(api, id, { state, ...sent })
    const { body } = await api.get(`workspaces/${id}/current-state-version-outputs`)
    expect(body.data).toHaveLength(2)
  })

  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404]],
    ['read-workspaces', 'member-token', ['read-workspaces'], [200, 200, 200]],
    ['the organization token', extraTokens.organization, [], [404, 404, 404]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404]],
  ] as const)(
    '%s: current outputs, outputs of a version, one output',
    async (_who, token, rights, statuses) => {
      const { api, as, id } = await withLockedWorkspace()
      await giveRights(api, ...rights)
      const { data } = (await createState(api, id, { state })).body
      const [output] = data.relationships.outputs.data
      const client = as(token)
      expect([
        (await client.get(`workspaces/${id}/current-state-version-outputs`)).status,
        (await client.get(`state-versions/${data.id}/outputs`)).status,
        (await client.get(`state-version-outputs/${output.id}`)).status,
      ]).toEqual(statuses)
    },
  )
})
