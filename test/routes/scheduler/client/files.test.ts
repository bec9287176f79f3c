import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { allocationOf, mockJob, unknownId } from '../cluster/support.ts'
import { failureOf, type Members, requireSuccess } from '../support.ts'

const section = 'behaviour/scheduler#files'

async function running(
  task: Members = {},
  { dialect = 'neutral' }: { readonly dialect?: DialectName } = {},
) {
  const served = await scheduler({ dialect })
  const { scheduler: client, clock, app } = served
  const Config = { stdout_string: 'printed' }
  await requireSuccess(client.post('jobs', { Job: mockJob({ t: { Config, ...task } }) }))
  clock.advance(1000)
  const { ID: id } = await allocationOf(client)
  const ask = (what: string, path?: string, more = '') => {
    const query = path === undefined ? '' : `?path=${encodeURIComponent(path)}`
    return client.get(`client/fs/${what}/${id}${query}${more}`)
  }
  const names = async (path?: string) =>
    (await requireSuccess(ask('ls', path))).body.map(({ Name }: { Name: string }) => Name)
  const raw = async (what: string, path: string, more = '') =>
    (await app.inject(`/v1/client/fs/${what}/${id}?path=${path}${more}`)).body
  return { ...served, client, id, ask, names, raw }
}

describe(`folders of an allocation (${section})`, () => {
  // choice/scheduler#client-files
  test('ls lists the files of each folder', async () => {
    const { names, ask } = await running()
    expect(await names()).toEqual(['alloc', 't'])
    expect(await names('/')).toEqual(['alloc', 't'])
    expect(await names('/alloc')).toEqual(['data', 'logs', 'tmp'])
    expect(await names('alloc/logs/')).toEqual(['t.stderr.0', 't.stdout.0'])
    expect(await names('/t')).toEqual(['local', 'private', 'secrets', 'tmp'])
    expect(await names('/t/local')).toEqual([])
    const [folder] = (await ask('ls')).body
    expect(folder).toEqual({
      Name: 'alloc',
      IsDir: true,
      Size: 4096,
      FileMode: 'drwxrwxrwx',
      ModTime: '2026-01-01T00:00:00.05Z',
    })
    const [stderr, stdout] = (await ask('ls', '/alloc/logs')).body
    expect([stderr.Size, stdout.Size]).toEqual([0, 7])
    expect(stdout).toMatchObject({ IsDir: false, FileMode: '-rw-r--r--' })
  })

  test('stat returns one entry with its type', async () => {
    const { ask, id } = await running()
    const stat = async (path: string) => (await requireSuccess(ask('stat', path))).body
    expect(await stat('/alloc/logs/t.stdout.0')).toMatchObject({
      Name: 't.stdout.0',
      Size: 7,
      IsDir: false,
      ContentType: 'text/plain; charset=utf-8',
    })
    expect(await stat('/alloc/logs/t.stderr.0')).toMatchObject({
      ContentType: 'application/octet-stream',
    })
    expect(await stat('/t')).toMatchObject({ Name: 't', IsDir: true })
    expect((await stat('/')).Name).toBe(id)
    expect(await failureOf(ask('stat'))).toEqual([400, 'must provide a file name'])
  })

  // choice/scheduler#client-files
  test('templates and payloads are at their destinations with their content', async () => {
    const { ask, names } = await running({
      Templates: [
        { DestPath: 'local/app.json', EmbeddedTmpl: '{"a": {{ env "x" }}}' },
        { DestPath: `\${NOMAD_SECRETS_DIR}/key`, EmbeddedTmpl: 'hush' },
        { DestPath: 'local/deep/er.txt', EmbeddedTmpl: 'deep' },
      ],
    })
    expect(await names('t/local')).toEqual(['app.json', 'deep'])
    expect(await names('t/secrets')).toEqual(['key'])
    expect((await ask('cat', 't/local/app.json')).text).toBe('{"a": {{ env "x" }}}')
    const { body } = await ask('stat', 't/local/app.json')
    expect(body.ContentType).toBe('application/json')

    const { scheduler: client, clock } = await scheduler()
    const job = mockJob(
      { t: { DispatchPayload: { File: 'in.txt' } } },
      {},
      { Type: 'batch', ParameterizedJob: { Payload: 'required' } },
    )
    await requireSuccess(client.post('jobs', { Job: job }))
    const Payload = Buffer.from('hello').toString('base64')
    const made = await requireSuccess(client.post('job/example/dispatch', { Payload }))
    clock.advance(1000)
    const { ID } = await allocationOf(client, 0, made.body.DispatchedJobID)
    expect((await client.get(`client/fs/cat/${ID}?path=t/local/in.txt`)).text).toBe('hello')
  })

  // choice/scheduler#client-files
  test.each<[DialectName, string]>([
    ['neutral', '/var/lib/sched/alloc'],
    ['vendor', '/var/lib/nomad/alloc'],
  ])('missing files and paths outside of the allocation (%s)', async (dialect, folder) => {
    const { ask, id, client } = await running({}, { dialect })
    expect(await failureOf(ask('ls', '/nope'))).toEqual([
      404,
      `open ${folder}/${id}/nope: no such file or directory`,
    ])
    expect(await failureOf(ask('stat', '/nope'))).toEqual([
      404,
      `stat ${folder}/${id}/nope: no such file or directory`,
    ])
    for (const path of ['..', '/../x', 'alloc/../../x']) {
      expect(await failureOf(ask('ls', path))).toEqual([500, 'Path escapes the alloc directory'])
    }
    const unknown = [404, `Unknown allocation "${unknownId}"`]
    expect(await failureOf(client.get(`client/fs/ls/${unknownId}`))).toEqual(unknown)
    expect(await failureOf(client.get('client/fs/ls/'))).toEqual([
      400,
      'must provide a valid alloc id',
    ])
  })
})

describe(`the content of files (${section})`, () => {
  // choice/scheduler#client-files-rights
  test('cat and readat: text; errors are 200', async () => {
    const { ask, id } = await running()
    const file = 'alloc/logs/t.stdout.0'
    expect((await ask('cat', file)).text).toBe('printed')
    expect((await ask('readat', file, '&offset=1&limit=3')).text).toBe('rin')
    expect((await ask('readat', file, '&offset=5')).text).toBe('ed')
    const fetchText = async (what: string, path?: string, more = '') => {
      const { status, text } = await ask(what, path, more)
      return [status, text]
    }
    expect(await fetchText('cat')).toEqual([200, 'must provide a file name'])
    expect(await fetchText('readat', file)).toEqual([
      200,
      'error parsing offset: strconv.ParseInt: parsing "": invalid syntax',
    ])
    expect(await fetchText('cat', 'nope')).toEqual([
      200,
      `stat /var/lib/sched/alloc/${id}/nope: no such file or directory`,
    ])
    expect(await fetchText('cat', 'alloc')).toEqual([200, 'file "alloc" is a directory'])
    expect(await fetchText('cat', 't/secrets/x')).toEqual([
      200,
      'Reading secret file prohibited: t/secrets/x',
    ])
  })

  // choice/scheduler#client-stream-failures
  test('stream: frames; errors have their own status', async () => {
    const { ask, raw } = await running()
    const file = 'alloc/logs/t.stdout.0'
    expect(JSON.parse(await raw('stream', file, '&follow=false'))).toEqual({
      Data: Buffer.from('printed').toString('base64'),
      File: file,
      Offset: 7,
    })
    const part = await raw('stream', file, '&follow=false&origin=end&offset=2')
    expect(JSON.parse(part).Data).toBe(Buffer.from('ed').toString('base64'))
    expect(await failureOf(ask('stream'))).toEqual([400, 'must provide a file name'])
    expect(await failureOf(ask('stream', 'alloc'))).toEqual([400, 'file "alloc" is a directory'])
    expect(await failureOf(ask('stream', '/t/secrets/key'))).toEqual([
      500,
      'Reading secret file prohibited: /t/secrets/key',
    ])
    expect(await failureOf(ask('stream', file, '&origin=x'))).toEqual([
      400,
      'origin must be start or end',
    ])
    expect((await ask('stream', 'nope')).status).toBe(400)
    expect((await ask('stream', file, '&offset=x')).status).toBe(500)
  })

  // choice/scheduler#client-stream-failures
  test('a stream is followed until the allocation ends', async () => {
    const { raw, client, clock, id } = await running()
    const followed = raw('stream', 'alloc/logs/t.stdout.0')
    await client.get('status/leader')
    await requireSuccess(client.post(`client/allocation/${id}/restart`))
    clock.advance(1000)
    await requireSuccess(client.post(`allocation/${id}/stop`))
    clock.advance(1000)
    const frames = JSON.parse(`[${(await followed).replaceAll('}{', '},{')}]`)
    expect(frames.map(({ Offset }: { Offset: number }) => Offset)).toEqual([7, 14])
  })
})
