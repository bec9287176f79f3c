import { describe, expect, test } from 'vitest'
import { outboxMessages } from '../../../../state/platform/settings/outbox.ts'
import { platform } from '../../../support/platform/platform.ts'
import { failure } from '../../../support/platform/platform-errors.ts'

describe('behaviour/platform#api-settings: POST /admin/sms-settings/verify', () => {
  const on = { enabled: true, 'account-sid': 's', 'auth-token': 't', 'from-number': '+15550100' }
  const noNumber = failure(400, 'test-number is required')
  const off = failure(400, 'SMS is disabled')

  async function enabled() {
    const started = await platform()
    await started.admin.patch('admin/sms-settings', { data: { attributes: on } })
    return started
  }

  test.each(['POST', 'PATCH'])('%s sends a message and stores no number', async (method) => {
    const { admin, world, clock } = await enabled()
    const settings = (await admin.get('admin/sms-settings')).body
    const input = { data: { attributes: { 'test-number': '+15550199' } } }
    const reply = await admin.request(method, 'admin/sms-settings/verify', input)
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, '', undefined])
    expect(outboxMessages(world)).toEqual([
      {
        id: 'msg-1',
        kind: 'sms',
        at: clock.now(),
        from: '+15550100',
        to: '+15550199',
        subject: null,
        text: 'This message was sent to test the SMS settings. They work.',
        server: null,
        delivered: false,
      },
    ])
    expect((await admin.get('admin/sms-settings')).body).toEqual(settings)
  })

  // choice/platform#sms-verify-order
  test.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['no data', {}],
    ['data null', { data: null }],
    ['no attributes', { data: {} }],
    ['no number', { data: { attributes: {} } }],
    ['null', { data: { attributes: { 'test-number': null } } }],
    ['a blank number', { data: { attributes: { 'test-number': ' ' } } }],
    ['a number that is not a string', { data: { attributes: { 'test-number': 15550199 } } }],
  ])('behaviour/platform#settings: %s is 400, whether enabled or not', async (_what, input) => {
    for (const start of [enabled, platform]) {
      const { admin, world } = await start()
      for (const method of ['POST', 'PATCH']) {
        const reply = await admin.request(method, 'admin/sms-settings/verify', input)
        expect([reply.status, reply.body]).toEqual([400, noNumber])
      }
      expect(outboxMessages(world)).toEqual([])
    }
  })

  test('behaviour/platform#settings: SMS disabled is 400', async () => {
    const { admin, world } = await platform()
    const input = { data: { attributes: { 'test-number': '+15550199' } } }
    const reply = await admin.post('admin/sms-settings/verify', input)
    expect([reply.status, reply.body]).toEqual([400, off])
    expect(outboxMessages(world)).toEqual([])
  })

  test('behaviour/platform#errors: invalid documents are still 422, a wrong media type 415', async () => {
    const { admin } = await enabled()
    const path = 'admin/sms-settings/verify'
    for (const [input, detail] of [
      ['{', 'JSON body is invalid'],
      [{ data: { attributes: 5 } }, 'attributes must be an object'],
      [{ data: { type: 'vars' } }, 'type must be sms-settings'],
    ] as const) {
      const reply = await admin.post(path, input)
      expect([reply.status, reply.body]).toEqual([422, failure(422, detail)])
    }
    const plain = await admin.post(path, 'x', { headers: { 'content-type': 'text/plain' } })
    expect(plain.status).toBe(415)
  })
})
