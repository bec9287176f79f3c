import { describe, expect, test } from 'vitest'
import { outboxMessages } from '../../../../state/platform/settings/outbox.ts'
import { platform } from '../../../support/platform/platform.ts'
import { failure } from '../../../support/platform/platform-errors.ts'
import { settingsAt } from '../../../support/platform/platform-settings.ts'

const full = { enabled: true, host: 'mail.example.com', port: 25, sender: 'app@example.com' }
const address = 'ada@example.com'

const { patch, read, refused } = settingsAt('smtp-settings')

describe('behaviour/platform#settings: rules of SMTP settings', () => {
  test('enabled settings without attributes name all that are missing', async () => {
    const { admin } = await platform()
    await refused(
      admin,
      { enabled: true },
      ['host', "Host can't be blank"],
      ['port', "Port can't be blank"],
      ['sender', "Sender can't be blank"],
    )
  })

  // choice/platform#smtp-port
  test.each([
    ['host', "Host can't be blank"],
    ['port', "Port can't be blank"],
    ['sender', "Sender can't be blank"],
  ])('enabled without %s alone', async (name, detail) => {
    const { admin } = await platform()
    const rest = Object.fromEntries(Object.entries(full).filter(([each]) => each !== name))
    await refused(admin, rest, [name, detail])
    if (name === 'port') return
    for (const blank of ['', ' ', null])
      await refused(admin, { ...full, [name]: blank }, [name, detail])
  })

  // choice/platform#smtp-port
  test.each([
    [0, 'Port must be greater than or equal to 1'],
    [-1, 'Port must be greater than or equal to 1'],
    [65_536, 'Port must be less than or equal to 65535'],
    [25.5, 'Port must be an integer'],
  ])('a port of %d', async (port, detail) => {
    const { admin } = await platform()
    await refused(admin, { ...full, port }, ['port', detail])
  })

  test.each([1, 65_535])('a port of %d is valid', async (port) => {
    const { admin } = await platform()
    expect((await patch(admin, { ...full, port })).status).toBe(200)
  })

  // choice/platform#settings-blank-enumerations
  test.each([true, false])('authentication types, enabled: %j', async (enabled) => {
    const { admin } = await platform()
    const unlisted = ['auth', 'Auth is not included in the list'] as const
    for (const auth of ['xoauth2', 'PLAIN', 'cram-md5']) {
      await refused(admin, { ...full, enabled, auth }, unlisted)
    }
    for (const auth of ['', null]) {
      await refused(admin, { ...full, enabled, auth }, ['auth', "Auth can't be blank"], unlisted)
    }
    for (const auth of ['none', 'plain', 'login']) {
      const reply = await patch(admin, { ...full, enabled, auth, username: 'u', password: 'p' })
      expect([reply.status, reply.body.data.attributes.auth]).toEqual([200, auth])
    }
  })

  test.each(['plain', 'login'])('%s needs username and password', async (auth) => {
    const { admin } = await platform()
    const username = ['username', "Username can't be blank"] as const
    const password = ['password', "Password can't be blank"] as const
    await refused(admin, { ...full, auth }, username, password)
    await refused(admin, { ...full, auth, username: 'u' }, password)
    await refused(admin, { ...full, auth, password: 'p' }, username)
    await refused(admin, { ...full, auth, username: ' ', password: '' }, username, password)
    expect((await patch(admin, { ...full, auth, username: 'u', password: 'p' })).status).toBe(200)
    // The stored password counts, although it is never returned.
    expect((await patch(admin, { port: 26 })).body.data.attributes).toEqual({
      ...full,
      port: 26,
      auth,
      username: 'u',
    })
    await refused(admin, { password: '' }, password)
  })

  // choice/platform#settings-rules-while-disabled
  test('disabled: nothing is required, any port is stored', async () => {
    const { admin } = await platform()
    const reply = await patch(admin, { enabled: false, host: '', port: 0, auth: 'login' })
    expect([reply.status, reply.body.data.attributes]).toMatchObject([200, { host: '', port: 0 }])
  })
})

describe('behaviour/platform#test-mail: SMTP test mail', () => {
  test('the mail goes to the outbox; password and address are never returned', async () => {
    const { admin, world, clock } = await platform()
    const input = { ...full, auth: 'plain', username: 'u', password: 'hunter2' }
    const reply = await patch(admin, { ...input, 'test-email-address': address })
    const { password, ...expectedValue } = input
    expect([reply.status, reply.body.data]).toEqual([
      200,
      { id: 'smtp', type: 'smtp-settings', attributes: expectedValue },
    ])
    expect(await read(admin)).toEqual(expectedValue)
    expect(outboxMessages(world)).toEqual([
      {
        id: 'msg-1',
        kind: 'mail',
        at: clock.now(),
        from: 'app@example.com',
        to: address,
        subject: 'Test message',
        text: 'This message was sent to test the SMTP settings. They work.',
        server: { host: 'mail.example.com', port: 25 },
        delivered: false,
      },
    ])
    expect(JSON.stringify(outboxMessages(world))).not.toContain(password)
  })

  test('the address only applies to the change that contains it', async () => {
    const { admin, world } = await platform()
    await patch(admin, { ...full, 'test-email-address': address })
    await patch(admin, { port: 26 })
    expect(outboxMessages(world)).toHaveLength(1)
    // Sending unchanged settings again sends another test mail.
    await patch(admin, { 'test-email-address': 'bob@example.com' })
    expect(outboxMessages(world).map(({ id, to }) => [id, to])).toEqual([
      ['msg-1', address],
      ['msg-2', 'bob@example.com'],
    ])
  })

  test.each([
    ['while disabled', { ...full, enabled: false, 'test-email-address': address }],
    ['without an address', full],
    ['with a blank address', { ...full, 'test-email-address': ' ' }],
    ['with null for an address', { ...full, 'test-email-address': null }],
    [
      'while disabled, even where it would fail',
      { enabled: false, host: 'fail-500', 'test-email-address': address },
    ],
  ])('no mail is sent %s', async (_when, attributes) => {
    const { admin, world } = await platform()
    expect((await patch(admin, attributes)).status).toBe(200)
    expect(outboxMessages(world)).toEqual([])
  })

  test.each([
    ['fail-401', 401, 'SMTP credentials were rejected'],
    ['fail-500.example.com', 500, 'SMTP server reported an error'],
    ['FAIL-504.example.com', 504, 'SMTP server did not answer in time'],
  ])(
    'behaviour/platform#api-settings, Errors: a host of %s is %d, and nothing is stored',
    async (host, status, detail) => {
      const { admin, world } = await platform()
      await patch(admin, full)
      const before = await read(admin)
      const reply = await patch(admin, { host, port: 26, 'test-email-address': address })
      expect([reply.status, reply.body]).toEqual([status, failure(status, detail)])
      expect(await read(admin)).toEqual(before)
      expect(outboxMessages(world)).toEqual([])
      // Without a test mail the same settings are accepted.
      expect((await patch(admin, { host, port: 26 })).status).toBe(200)
    },
  )

  test.each([
    ['rejected', 401],
    ['failed', 500],
    ['timed-out', 504],
  ] as const)(
    'the option mailFault %s: %d for any host that should accept mail',
    async (mailFault, status) => {
      const { admin, world } = await platform({ options: { mailFault } })
      const tried = { ...full, 'test-email-address': address }
      expect((await patch(admin, tried)).status).toBe(status)
      expect([outboxMessages(world), (await patch(admin, full)).status]).toEqual([[], 200])
    },
  )

  test.each(['fail-402', 'not-fail-401', 'mail.fail-401'])(
    'a host of %s accepts mail',
    async (host) => {
      const { admin, world } = await platform()
      expect((await patch(admin, { ...full, host, 'test-email-address': address })).status).toBe(
        200,
      )
      expect(outboxMessages(world)).toHaveLength(1)
    },
  )

  test('the rules are checked before the mail: a rejected change sends none', async () => {
    const { admin, world } = await platform()
    await refused(admin, { ...full, sender: '', 'test-email-address': address }, [
      'sender',
      "Sender can't be blank",
    ])
    expect(outboxMessages(world)).toEqual([])
  })
})
