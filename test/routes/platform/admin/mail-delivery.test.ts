import type { Socket } from 'node:net'
import tls from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { deliverTestMail } from '../../../../routes/platform/admin/settings.ts'
import { outboxMessages } from '../../../../state/platform/settings/outbox.ts'
import {
  closedPort,
  type MailServerSettings,
  mailServer,
  tcpServer,
} from '../../../support/platform/mail-server.ts'
import {
  type PlatformClient,
  type PlatformSettings,
  platform,
} from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const to = 'ada@example.com'
const credentials = { username: 'app', password: 'hunter2' }

function started(settings: PlatformSettings = {}) {
  const { options, ...rest } = settings
  return platform({ options: { deliverMail: true, mailTimeout: '5s', ...options }, ...rest })
}

function patch(admin: PlatformClient, attributes: object) {
  return admin.patch('admin/smtp-settings', { data: { attributes } })
}

async function read(admin: PlatformClient) {
  return (await admin.get('admin/smtp-settings')).body.data.attributes
}

function settingsFor(port: number, more: object = {}) {
  return { enabled: true, host: '127.0.0.1', port, sender: 'app@example.com', ...more }
}

/** Asserts that a test mail fails with a status, and that nothing is stored or recorded. */
async function expectFailure(
  port: number,
  more: object,
  status: number,
  detail: string,
  options = {},
) {
  const { admin, world } = await started({ options })
  const before = await read(admin)
  const reply = await patch(admin, settingsFor(port, { ...more, 'test-email-address': to }))
  expect([reply.status, reply.body]).toEqual([status, failure(status, detail)])
  expect(await read(admin)).toEqual(before)
  expect(outboxMessages(world)).toEqual([])
}

const rejected = 'SMTP credentials were rejected'
const failed = 'SMTP server reported an error'
const timeoutMessage = 'SMTP server did not answer in time'

describe('behaviour/platform#test-mail: delivered mail', () => {
  test.each([
    ['none', undefined],
    ['plain', 'PLAIN'],
    ['login', 'LOGIN'],
  ])('auth %s', async (auth, method) => {
    const server = await mailServer(auth === 'none' ? {} : { credentials })
    const { admin, world } = await started()
    const input = settingsFor(server.port, auth === 'none' ? { auth } : { auth, ...credentials })
    const reply = await patch(admin, { ...input, 'test-email-address': to })
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      200,
      settingsFor(server.port),
    ])
    const [mail] = server.received
    expect(server.received).toHaveLength(1)
    expect(mail).toMatchObject({
      user: method === undefined ? undefined : 'app',
      method,
      from: 'app@example.com',
      to: [to],
    })
    expect(mail?.source).toMatch(/^Subject: Test message\r$/m)
    expect(mail?.source).toContain('This message was sent to test the SMTP settings. They work.')
    expect(outboxMessages(world)).toMatchObject([
      { kind: 'mail', to, server: { host: '127.0.0.1', port: server.port }, delivered: true },
    ])
  })

  test('no mail is sent without an address or while disabled', async () => {
    const server = await tcpServer()
    const { admin, world } = await started()
    expect((await patch(admin, settingsFor(server.port))).status).toBe(200)
    const off = { enabled: false, 'test-email-address': to }
    expect((await patch(admin, off)).status).toBe(200)
    expect([server.sockets.size, outboxMessages(world)]).toEqual([0, []])
  })

  test('deliverMail off: no server is contacted, the outbox has the mail', async () => {
    const server = await tcpServer()
    const { admin, world } = await started({ options: { deliverMail: false } })
    const reply = await patch(admin, settingsFor(server.port, { 'test-email-address': to }))
    expect([reply.status, server.sockets.size]).toEqual([200, 0])
    expect(outboxMessages(world)).toMatchObject([{ to, delivered: false }])
  })
})

describe('behaviour/platform#api-settings: mail that cannot be delivered', () => {
  test.each([
    ['a wrong password', { username: 'app', password: 'wrong' }],
    ['a wrong name', { username: 'nobody', password: 'hunter2' }],
  ])('%s is 401', async (_what, wrong) => {
    const server = await mailServer({ credentials })
    for (const auth of ['plain', 'login']) {
      await expectFailure(server.port, { auth, ...wrong }, 401, rejected)
    }
    expect(server.received).toEqual([])
  })

  // choice/platform#mail-delivery
  test.each<[string, MailServerSettings]>([
    ['cannot check credentials now', { credentials, loginError: { code: 454, text: 'later' } }],
    ['takes no recipient', { credentials, recipientError: { code: 550, text: 'no such user' } }],
    ['takes no recipient now', { credentials, recipientError: { code: 451, text: 'later' } }],
  ])('a server that %s is 500', async (_what, settings) => {
    const server = await mailServer(settings)
    await expectFailure(server.port, { auth: 'plain', ...credentials }, 500, failed)
  })

  test('a server that requires credentials and gets none is 500', async () => {
    const server = await mailServer({ credentials })
    await expectFailure(server.port, {}, 500, failed)
  })

  test('a closed port is 500', async () => {
    await expectFailure(await closedPort(), {}, 500, failed)
  })

  test.each<[string, (socket: Socket) => void]>([
    ['hangs up', (socket) => socket.end()],
    ['speaks no SMTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('a server that %s is 500', async (_what, greet) => {
    const server = await tcpServer(greet)
    await expectFailure(server.port, {}, 500, failed)
  })

  test.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => {}],
    ['greets and says no more', (socket) => socket.write('220 mail ESMTP\r\n')],
    [
      'never comes to an end',
      (socket) => {
        const talk = setInterval(() => socket.write('220-and then\r\n'), 10)
        socket.once('close', () => clearInterval(talk))
      },
    ],
  ])('a server that %s is 504 after mailTimeout', async (_what, greet) => {
    const server = await tcpServer(greet)
    await expectFailure(server.port, {}, 504, timeoutMessage, { mailTimeout: '150ms' })
    expect(server.sockets.size).toBe(1)
  })

  // choice/platform#mail-delivery
  test('a server that offers STARTTLS with an untrusted certificate is 500', async () => {
    const server = await mailServer({ offersTls: true })
    await expectFailure(server.port, {}, 500, failed)
    expect(server.received).toEqual([])
  })

  // choice/platform#mail-delivery
  test('only port 465 uses TLS from the start', async () => {
    const connect = vi.spyOn(tls, 'connect')
    onTestFinished(() => connect.mockRestore())
    const content = { from: 'a@example.com', to, subject: 's', text: 't' }
    const mail = { host: '127.0.0.1', auth: 'none', username: '', password: '', ...content }
    await expect(deliverTestMail({ ...mail, port: await closedPort() }, 1000)).rejects.toThrow(
      failed,
    )
    expect(connect).not.toHaveBeenCalled()
    await expect(deliverTestMail({ ...mail, port: 465 }, 1000)).rejects.toThrow(failed)
    expect(connect).toHaveBeenCalledOnce()
  })

  // choice/platform#smtp-xoauth2
  test('xoauth2 does not work for real delivery: 500', async () => {
    const server = await tcpServer()
    const { admin } = await started({ dialect: 'vendor' })
    const auth = { auth: 'xoauth2', 'client-id': 'i', 'client-secret': 's' }
    const input = settingsFor(server.port, { ...auth, 'test-email-address': to })
    const reply = await patch(admin, input)
    expect([reply.status, reply.body, server.sockets.size]).toEqual([500, failure(500, failed), 0])
  })

  test('the rules are checked before the mail is sent', async () => {
    const server = await tcpServer()
    const { admin } = await started()
    const input = settingsFor(server.port, { sender: '', 'test-email-address': to })
    const reply = await patch(admin, input)
    expect([reply.status, reply.body]).toEqual([422, invalid(['sender', "Sender can't be blank"])])
    expect(server.sockets.size).toBe(0)
  })

  test('an error that is not a mail error is reported as a server failure', async () => {
    const mail = { host: '127.0.0.1', port: 70_000, auth: 'none', username: '', password: '' }
    const message = { from: 'a@example.com', to, subject: 's', text: 't' }
    await expect(deliverTestMail({ ...mail, ...message }, 1000)).rejects.toMatchObject({
      kind: 'upstream',
      message: failed,
      rule: 'mail-failed',
    })
  })
})

describe('behaviour/platform#test-mail: settings that change while a mail is being sent', () => {
  /** Returns a server that holds back its reply to a mail until it is released. */
  async function slowServer() {
    let arrived = () => {}
    let release = () => {}
    const atRecipient = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const beforeRecipient = () => {
      arrived()
      return released
    }
    const server = await mailServer({ beforeRecipient })
    return { ...server, atRecipient, release }
  }

  // choice/platform#mail-after-delivery
  test('the change is merged into the settings at the end of the delivery', async () => {
    const server = await slowServer()
    const { admin, world } = await started()
    await patch(admin, settingsFor(server.port))
    const pending = patch(admin, { username: 'new', 'test-email-address': to })
    await server.atRecipient
    // Nothing is stored before the mail is out.
    expect((await read(admin)).username).toBeNull()
    expect((await patch(admin, { enabled: false, sender: '' })).status).toBe(200)
    server.release()
    const reply = await pending
    expect([reply.status, reply.body.data.attributes]).toMatchObject([
      200,
      { enabled: false, sender: '', username: 'new' },
    ])
    expect(outboxMessages(world)).toHaveLength(1)
  })

  // choice/platform#mail-after-delivery
  test('a change that the new settings no longer allow is rejected after the mail was sent', async () => {
    const server = await slowServer()
    const { admin, world } = await started()
    await patch(admin, settingsFor(server.port))
    const pending = patch(admin, { enabled: true, 'test-email-address': to })
    await server.atRecipient
    await patch(admin, { enabled: false, sender: '' })
    const before = await read(admin)
    server.release()
    const reply = await pending
    expect([reply.status, reply.body]).toEqual([422, invalid(['sender', "Sender can't be blank"])])
    expect(await read(admin)).toEqual(before)
    expect(outboxMessages(world)).toMatchObject([{ to, delivered: true }])
    expect(server.received).toHaveLength(1)
  })
})
