import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { DialectName } from '../routes/http/declare/dialect.ts'
import { dialectWords } from './support/generated/vendor-words.ts'
import { mesh } from './support/mesh/mesh.ts'
import { platform, testsOfModule } from './support/platform/platform.ts'
import { scheduler } from './support/scheduler/scheduler.ts'
import { type Reply, servedSecrets } from './support/secrets/secrets.ts'

/**
 * Collector of the names that replies return in another form than the caller sent, with their
 * position in the reply and the word of the dialect.
 */
class NameCheck {
  readonly changed: unknown[] = []
  #word = ''

  /** Checks that a reply returns a value exactly as the caller chose it. */
  expectSame(place: string, actual: unknown, chosen: unknown): void {
    if (!isDeepStrictEqual(actual, chosen)) this.changed.push([this.#word, place, actual])
  }

  /** Checks that the text of a reply quotes a name exactly as the caller sent it. */
  expectQuoted(place: string, { status, text }: Reply, chosen: string): void {
    if (!text.includes(chosen)) this.changed.push([this.#word, place, status, text])
  }

  /** Yields every word of the dialects, and stores it for the findings that follow. */
  *words(): Generator<string> {
    for (const word of dialectWords) {
      this.#word = word
      yield word
    }
  }
}

const path = encodeURIComponent

/** Returns a word for places that allow only letters, digits and hyphens. */
const plain = (word: string) => word.replaceAll(/[._]/g, '-')

const dialects: readonly DialectName[] = ['neutral', 'vendor']
const title = 'behaviour/program#texts: names that callers chose come back as they are'

describe.each(dialects)(`${title} (%s)`, (dialect) => {
  test('names of mounts, secrets and their metadata are returned unchanged', async () => {
    const names = new NameCheck()
    const { secrets } = await servedSecrets({ dialect })
    for (const word of names.words()) {
      const mount = path(`m-${word}`)
      const settings = { type: 'kv', description: word, options: { version: '2' } }
      await secrets.post(`sys/mounts/${mount}`, settings)
      const { body: mounts } = await secrets.get('sys/mounts')
      names.expectSame('mount', mounts.data[`m-${word}/`]?.description, word)
      const again = await secrets.post(`sys/mounts/${mount}`, settings)
      names.expectQuoted('mount in use', again, `m-${word}/`)
      const other = await secrets.post('sys/mounts/other', { type: `x-${word}` })
      names.expectQuoted('unknown type', other, `x-${word}`)

      const wordMap = { [word]: word }
      const data = { ...wordMap, inner: { [word]: [word] } }
      await secrets.post(`${mount}/data/${path(word)}`, { data })
      const { body: secret } = await secrets.get(`${mount}/data/${path(word)}`)
      names.expectSame('secret', secret.data?.data, data)
      await secrets.post(`${mount}/metadata/${path(word)}`, { custom_metadata: wordMap })
      const { body: metadata } = await secrets.get(`${mount}/metadata/${path(word)}`)
      names.expectSame('metadata', metadata.data?.custom_metadata, wordMap)
      const { body: keys } = await secrets.list(`${mount}/metadata`)
      names.expectSame('keys', keys.data?.keys, [word])
      for (const folder of ['kv', 'cubbyhole']) {
        await secrets.post(`${folder}/${path(word)}`, data)
        names.expectSame(folder, (await secrets.get(`${folder}/${path(word)}`)).body.data, data)
      }
    }
    expect(names.changed).toEqual([])
  })

  test('names of policies, namespaces, roles and tokens of the secrets API are returned unchanged', async () => {
    const names = new NameCheck()
    const { secrets } = await servedSecrets({ dialect })
    const orchestrator = dialect === 'vendor' ? 'kubernetes' : 'orch'
    for (const word of names.words()) {
      const wordMap = { [word]: word }
      const name = `p-${word}`.toLowerCase()
      const policy = `path "${word}/*" { capabilities = ["read"] } # ${word}`
      await secrets.post(`sys/policies/acl/${path(name)}`, { policy })
      const { body: actual } = await secrets.get(`sys/policies/acl/${path(name)}`)
      names.expectSame('policy', actual.data, { name, policy })
      const bad = { policy: `path "${word}" { capabilities = ["${word}"] }` }
      const quote = `path \\"${word}\\": invalid capability \\"${word}\\"`
      names.expectQuoted('capability', await secrets.post('sys/policies/acl/bad', bad), quote)

      await secrets.post(`sys/namespaces/n-${path(word)}`, { custom_metadata: wordMap })
      const { body: namespace } = await secrets.get(`sys/namespaces/n-${path(word)}`)
      names.expectSame('namespace', namespace.data?.path, `n-${word}/`)
      names.expectSame('namespace metadata', namespace.data?.custom_metadata, wordMap)

      await secrets.post(`auth/token/roles/${path(word)}`, { allowed_policies: [name] })
      const { body: role } = await secrets.get(`auth/token/roles/${path(word)}`)
      names.expectSame('token role', role.data?.name, word)
      const disallowed = { policies: [`no-${name}`] }
      const refused = await secrets.post(`auth/token/create/${path(word)}`, disallowed)
      names.expectQuoted('disallowed policy', refused, `no-${name}`)
      const unknownRole = await secrets.post(`auth/token/create/x-${path(word)}`, {})
      names.expectQuoted('unknown token role', unknownRole, `x-${word}`)
      const unknown = await secrets.post('auth/token/create', disallowed)
      names.expectQuoted('unknown policy', unknown, `no-${name}`)
      const created = await secrets.post('auth/token/create', { meta: wordMap, display_name: word })
      names.expectSame('token metadata', created.body.auth?.metadata, wordMap)

      const creds = await secrets.post(
        `${orchestrator}/creds/${path(`x-${word}`.toLowerCase())}`,
        {},
      )
      names.expectQuoted('unknown role', creds, `x-${word}`.toLowerCase())
      const unknownPath = await secrets.get(`none-${path(word)}/${path(word)}`)
      names.expectQuoted('no handler', unknownPath, `none-${word}/${word}`)
      const parameter = await secrets.post('auth/token/create', { ttl: '1h', [word]: 1 })
      names.expectQuoted('unknown parameter', parameter, `[${word}]`)
    }
    expect(names.changed).toEqual([])
  })

  test('names of variables, organizations, teams and settings of the platform API are returned unchanged', async () => {
    const names = new NameCheck()
    const { platform: owner, admin } = await platform({ dialect })
    for (const word of names.words()) {
      const chosen = { key: plain(word).replaceAll('-', '_'), value: word, description: word }
      const variable = { data: { type: 'vars', attributes: { ...chosen, category: 'env' } } }
      const created = await owner.post(`${testsOfModule}/vars`, variable)
      const { body } = await owner.get(`${testsOfModule}/vars/${created.body.data?.id}`)
      const { key, value, description } = body.data?.attributes ?? {}
      names.expectSame('variable', { key, value, description }, chosen)

      const name = `o-${plain(word)}`
      const email = `${name}@example.com`
      const organization = { data: { type: 'organizations', attributes: { name, email } } }
      await admin.post('organizations', organization)
      const { body: actual } = await admin.get(`organizations/${name}`)
      names.expectSame(
        'organization',
        [actual.data?.id, actual.data?.attributes.email],
        [name, email],
      )
      const team = { data: { type: 'teams', attributes: { name: word.replaceAll('.', '-') } } }
      const { body: added } = await admin.post(`organizations/${name}/teams`, team)
      names.expectSame('team', added.data?.attributes.name, team.data.attributes.name)
      const settings = { 'support-email-address': email, footer: word }
      const { body: changed } = await admin.patch('admin/customization-settings', {
        data: { attributes: settings },
      })
      const { footer, 'support-email-address': support } = changed.data?.attributes ?? {}
      names.expectSame('settings', { 'support-email-address': support, footer }, settings)
    }
    expect(names.changed).toEqual([])
  })

  test('names of namespaces, keys, policies and roles of the mesh API are returned unchanged', async () => {
    const names = new NameCheck()
    const { manager } = await mesh({ dialect, options: { aclEnabled: true } })
    for (const word of names.words()) {
      // The mesh compares names without regard to case, so a number makes them unique.
      const name = `n${dialectWords.indexOf(word)}-${plain(word)}`
      const chosen = { Name: name, Description: word, Meta: { [word]: word } }
      await manager.put('namespace', chosen)
      const { body: namespace } = await manager.get(`namespace/${name}`)
      const { Name, Description, Meta } = namespace ?? {}
      names.expectSame('namespace', { Name, Description, Meta }, chosen)
      await manager.put(`kv/${path(word)}`, word)
      const { body: entries } = await manager.get(`kv/${path(word)}`)
      names.expectSame('key', entries?.[0]?.Key, word)

      const rules = { Name: name, Description: word, Rules: `key "${word}" { policy = "read" }` }
      const { body: policy } = await manager.put('acl/policy', rules)
      const actual = { Name: policy?.Name, Description: policy?.Description, Rules: policy?.Rules }
      names.expectSame('policy', actual, rules)
      const bad = { Name: 'bad', Rules: `key_prefix "${word}" { policy = "${word}" }` }
      names.expectQuoted('bad policy', await manager.put('acl/policy', bad), word)
      const role = { Name: 'role', Policies: [{ Name: `x-${name}` }] }
      names.expectQuoted('unknown policy', await manager.put('acl/role', role), `x-${name}`)
    }
    expect(names.changed).toEqual([])
  })

  test('names of jobs, groups and tasks of the scheduler API are returned unchanged', async () => {
    const names = new NameCheck()
    const { manager } = await scheduler({ dialect, options: { aclEnabled: true } })
    for (const word of names.words()) {
      const wordMap = { [word]: word }
      const chosen = {
        Name: word,
        Config: { image: word, labels: [wordMap] },
        Env: wordMap,
        Meta: wordMap,
      }
      const task = { ...chosen, Driver: 'docker' }
      const group = { Name: word, Meta: wordMap, Tasks: [task] }
      const job = { ID: word, Name: word, Type: 'service', Meta: wordMap, TaskGroups: [group] }
      const put = (address: string, change: object, more: object = {}) =>
        manager.put(address, { Job: { ...job, ...change }, ...more })

      names.expectSame('registration', (await put('jobs', {})).status, 200)
      const { body: actual } = await manager.get(`job/${path(word)}`)
      names.expectSame('job', [actual?.ID, actual?.Name, actual?.Meta], [word, word, wordMap])
      const [toldGroup] = actual?.TaskGroups ?? []
      names.expectSame('group', [toldGroup?.Name, toldGroup?.Meta], [word, wordMap])
      const { Name, Config, Env, Meta } = toldGroup?.Tasks?.[0] ?? {}
      names.expectSame('task', { Name, Config, Env, Meta }, chosen)
      const { body: stubs } = await manager.get('jobs', { query: { prefix: word, meta: 'true' } })
      const stub = stubs.find(({ ID }: { ID: string }) => ID === word)
      names.expectSame(
        'stub',
        [stub?.Meta, Object.keys(stub?.JobSummary.Summary)],
        [wordMap, [word]],
      )
      const changed = await put(
        `job/${path(word)}/plan`,
        { Meta: { [word]: 'new' } },
        { Diff: true },
      )
      names.expectQuoted('diff', changed, `"Meta[${word}]"`)

      const driverless = { TaskGroups: [{ ...group, Tasks: [{ ...task, Driver: '' }] }] }
      names.expectQuoted('task at fault', await put('jobs', driverless), `Task ${word} validation`)
      const empty = { TaskGroups: [{ ...group, Tasks: [] }] }
      names.expectQuoted(
        'group at fault',
        await put('jobs', empty),
        `Task group ${word} validation`,
      )
      const otherNamespace = { Namespace: `x-${plain(word)}` }
      names.expectQuoted('unknown namespace', await put('jobs', otherNamespace), `x-${plain(word)}`)
      await manager.request('DELETE', `job/${path(word)}?purge=true`)
    }
    expect(names.changed).toEqual([])
  })

  test('names in job files, namespaces and policies of the scheduler API are returned unchanged', async () => {
    const names = new NameCheck()
    const { manager } = await scheduler({ dialect, options: { aclEnabled: true } })
    for (const word of names.words()) {
      const wordMap = { [word]: word }
      const meta = `meta = {\n "${word}" = "${word}"\n }`
      const inner = `task "${word}" {\n driver = "docker"\n ${meta}\n }`
      const text = `job "${word}" {\n group "${word}" {\n ${inner}\n }\n}`
      const { body: parsed } = await manager.post('jobs/parse', { JobHCL: text })
      const [parsedGroup] = parsed?.TaskGroups ?? []
      const [parsedTask] = parsedGroup?.Tasks ?? []
      const parts = [parsed?.ID, parsedGroup?.Name, parsedTask?.Name, parsedTask?.Meta]
      names.expectSame('job file', parts, [word, word, word, wordMap])
      const argument = `x_${word.replaceAll('.', '_')}`
      const wrong = await manager.post('jobs/parse', { JobHCL: `job "a" {\n ${argument} = 1\n}` })
      names.expectQuoted('unknown argument', wrong, argument)

      const namespace = { Name: `n-${plain(word)}`, Description: word, Meta: wordMap }
      await manager.put('namespace', namespace)
      const { body } = await manager.get(`namespace/${namespace.Name}`)
      const back = { Name: body?.Name, Description: body?.Description, Meta: body?.Meta }
      names.expectSame('namespace', back, namespace)
      const policy = { Name: namespace.Name, Description: word, Rules: 'node { policy = "read" }' }
      await manager.put(`acl/policy/${policy.Name}`, policy)
      const { body: kept } = await manager.get(`acl/policy/${policy.Name}`)
      names.expectSame('policy', [kept?.Name, kept?.Description], [policy.Name, word])
    }
    expect(names.changed).toEqual([])
  })
})
