import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { DialectName } from '../routes/http/dialect.ts'
import { dialectWords } from './support/dialect-words.ts'
import { mesh } from './support/mesh.ts'
import { platform, testsOfModule } from './support/platform.ts'
import { scheduler } from './support/scheduler.ts'
import { type Reply, servedSecrets } from './support/secrets.ts'

/** Looks for names that came back otherwise than they were sent: place by place and word by word. */
class Names {
  readonly lost: unknown[] = []
  #word = ''

  /** What a reply has of what the caller chose is that. */
  same(place: string, told: unknown, chosen: unknown): void {
    if (!isDeepStrictEqual(told, chosen)) this.lost.push([this.#word, place, told])
  }

  /** A text quotes what the caller chose, as it was sent. */
  quoted(place: string, { status, text }: Reply, chosen: string): void {
    if (!text.includes(chosen)) this.lost.push([this.#word, place, status, text])
  }

  /** Every word in turn, with what tells of it. */
  *words(): Generator<string> {
    for (const word of dialectWords) {
      this.#word = word
      yield word
    }
  }
}

const path = encodeURIComponent

/** A word where only letters, digits and hyphens may be. */
const plain = (word: string) => word.replaceAll(/[._]/g, '-')

const dialects: readonly DialectName[] = ['neutral', 'vendor']
const title = 'behaviour/program#texts: names that callers chose come back as they are'

describe.each(dialects)(`${title} (%s)`, (dialect) => {
  test('mounts, secrets and their metadata', async () => {
    const names = new Names()
    const { secrets } = await servedSecrets({ dialect })
    for (const word of names.words()) {
      const mount = path(`m-${word}`)
      const settings = { type: 'kv', description: word, options: { version: '2' } }
      await secrets.post(`sys/mounts/${mount}`, settings)
      const { body: mounts } = await secrets.get('sys/mounts')
      names.same('mount', mounts.data[`m-${word}/`]?.description, word)
      const again = await secrets.post(`sys/mounts/${mount}`, settings)
      names.quoted('mount in use', again, `m-${word}/`)
      const other = await secrets.post('sys/mounts/other', { type: `x-${word}` })
      names.quoted('unknown type', other, `x-${word}`)

      const own = { [word]: word }
      const data = { ...own, inner: { [word]: [word] } }
      await secrets.post(`${mount}/data/${path(word)}`, { data })
      const { body: secret } = await secrets.get(`${mount}/data/${path(word)}`)
      names.same('secret', secret.data?.data, data)
      await secrets.post(`${mount}/metadata/${path(word)}`, { custom_metadata: own })
      const { body: metadata } = await secrets.get(`${mount}/metadata/${path(word)}`)
      names.same('metadata', metadata.data?.custom_metadata, own)
      const { body: keys } = await secrets.list(`${mount}/metadata`)
      names.same('keys', keys.data?.keys, [word])
      for (const folder of ['kv', 'cubbyhole']) {
        await secrets.post(`${folder}/${path(word)}`, data)
        names.same(folder, (await secrets.get(`${folder}/${path(word)}`)).body.data, data)
      }
    }
    expect(names.lost).toEqual([])
  })

  test('policies, namespaces, roles and tokens of the secrets API', async () => {
    const names = new Names()
    const { secrets } = await servedSecrets({ dialect })
    const orchestrator = dialect === 'vendor' ? 'kubernetes' : 'orch'
    for (const word of names.words()) {
      const own = { [word]: word }
      const name = `p-${word}`.toLowerCase()
      const policy = `path "${word}/*" { capabilities = ["read"] } # ${word}`
      await secrets.post(`sys/policies/acl/${path(name)}`, { policy })
      const { body: told } = await secrets.get(`sys/policies/acl/${path(name)}`)
      names.same('policy', told.data, { name, policy })
      const bad = { policy: `path "${word}" { capabilities = ["${word}"] }` }
      const quote = `path \\"${word}\\": invalid capability \\"${word}\\"`
      names.quoted('capability', await secrets.post('sys/policies/acl/bad', bad), quote)

      await secrets.post(`sys/namespaces/n-${path(word)}`, { custom_metadata: own })
      const { body: namespace } = await secrets.get(`sys/namespaces/n-${path(word)}`)
      names.same('namespace', namespace.data?.path, `n-${word}/`)
      names.same('namespace metadata', namespace.data?.custom_metadata, own)

      await secrets.post(`auth/token/roles/${path(word)}`, { allowed_policies: [name] })
      const { body: role } = await secrets.get(`auth/token/roles/${path(word)}`)
      names.same('token role', role.data?.name, word)
      const disallowed = { policies: [`no-${name}`] }
      const refused = await secrets.post(`auth/token/create/${path(word)}`, disallowed)
      names.quoted('disallowed policy', refused, `no-${name}`)
      const nobody = await secrets.post(`auth/token/create/x-${path(word)}`, {})
      names.quoted('unknown token role', nobody, `x-${word}`)
      const unknown = await secrets.post('auth/token/create', disallowed)
      names.quoted('unknown policy', unknown, `no-${name}`)
      const made = await secrets.post('auth/token/create', { meta: own, display_name: word })
      names.same('token metadata', made.body.auth?.metadata, own)

      const creds = await secrets.post(
        `${orchestrator}/creds/${path(`x-${word}`.toLowerCase())}`,
        {},
      )
      names.quoted('unknown role', creds, `x-${word}`.toLowerCase())
      const nowhere = await secrets.get(`none-${path(word)}/${path(word)}`)
      names.quoted('no handler', nowhere, `none-${word}/${word}`)
      const parameter = await secrets.post('auth/token/create', { ttl: '1h', [word]: 1 })
      names.quoted('unknown parameter', parameter, `[${word}]`)
    }
    expect(names.lost).toEqual([])
  })

  test('variables, organizations, teams and settings of the platform API', async () => {
    const names = new Names()
    const { platform: owner, admin } = await platform({ dialect })
    for (const word of names.words()) {
      const chosen = { key: plain(word).replaceAll('-', '_'), value: word, description: word }
      const variable = { data: { type: 'vars', attributes: { ...chosen, category: 'env' } } }
      const made = await owner.post(`${testsOfModule}/vars`, variable)
      const { body } = await owner.get(`${testsOfModule}/vars/${made.body.data?.id}`)
      const { key, value, description } = body.data?.attributes ?? {}
      names.same('variable', { key, value, description }, chosen)

      const name = `o-${plain(word)}`
      const email = `${name}@example.com`
      const organization = { data: { type: 'organizations', attributes: { name, email } } }
      await admin.post('organizations', organization)
      const { body: told } = await admin.get(`organizations/${name}`)
      names.same('organization', [told.data?.id, told.data?.attributes.email], [name, email])
      const team = { data: { type: 'teams', attributes: { name: word.replaceAll('.', '-') } } }
      const { body: added } = await admin.post(`organizations/${name}/teams`, team)
      names.same('team', added.data?.attributes.name, team.data.attributes.name)
      const settings = { 'support-email-address': email, footer: word }
      const { body: changed } = await admin.patch('admin/customization-settings', {
        data: { attributes: settings },
      })
      const { footer, 'support-email-address': support } = changed.data?.attributes ?? {}
      names.same('settings', { 'support-email-address': support, footer }, settings)
    }
    expect(names.lost).toEqual([])
  })

  test('namespaces, keys, policies and roles of the mesh API', async () => {
    const names = new Names()
    const { manager } = await mesh({ dialect, options: { aclEnabled: true } })
    for (const word of names.words()) {
      // Names are compared without regard to case.
      const name = `n${dialectWords.indexOf(word)}-${plain(word)}`
      const chosen = { Name: name, Description: word, Meta: { [word]: word } }
      await manager.put('namespace', chosen)
      const { body: namespace } = await manager.get(`namespace/${name}`)
      const { Name, Description, Meta } = namespace ?? {}
      names.same('namespace', { Name, Description, Meta }, chosen)
      await manager.put(`kv/${path(word)}`, word)
      const { body: entries } = await manager.get(`kv/${path(word)}`)
      names.same('key', entries?.[0]?.Key, word)

      const rules = { Name: name, Description: word, Rules: `key "${word}" { policy = "read" }` }
      const { body: policy } = await manager.put('acl/policy', rules)
      const told = { Name: policy?.Name, Description: policy?.Description, Rules: policy?.Rules }
      names.same('policy', told, rules)
      const bad = { Name: 'bad', Rules: `key_prefix "${word}" { policy = "${word}" }` }
      names.quoted('bad policy', await manager.put('acl/policy', bad), word)
      const role = { Name: 'role', Policies: [{ Name: `x-${name}` }] }
      names.quoted('unknown policy', await manager.put('acl/role', role), `x-${name}`)
    }
    expect(names.lost).toEqual([])
  })

  test('jobs, groups and tasks of the scheduler API', async () => {
    const names = new Names()
    const { manager } = await scheduler({ dialect, options: { aclEnabled: true } })
    for (const word of names.words()) {
      const own = { [word]: word }
      const chosen = { Name: word, Config: { image: word, labels: [own] }, Env: own, Meta: own }
      const task = { ...chosen, Driver: 'docker' }
      const group = { Name: word, Meta: own, Tasks: [task] }
      const job = { ID: word, Name: word, Type: 'service', Meta: own, TaskGroups: [group] }
      const put = (address: string, change: object, more: object = {}) =>
        manager.put(address, { Job: { ...job, ...change }, ...more })

      names.same('registration', (await put('jobs', {})).status, 200)
      const { body: told } = await manager.get(`job/${path(word)}`)
      names.same('job', [told?.ID, told?.Name, told?.Meta], [word, word, own])
      const [toldGroup] = told?.TaskGroups ?? []
      names.same('group', [toldGroup?.Name, toldGroup?.Meta], [word, own])
      const { Name, Config, Env, Meta } = toldGroup?.Tasks?.[0] ?? {}
      names.same('task', { Name, Config, Env, Meta }, chosen)
      const { body: stubs } = await manager.get('jobs', { query: { prefix: word, meta: 'true' } })
      const stub = stubs.find(({ ID }: { ID: string }) => ID === word)
      names.same('stub', [stub?.Meta, Object.keys(stub?.JobSummary.Summary)], [own, [word]])
      const changed = await put(
        `job/${path(word)}/plan`,
        { Meta: { [word]: 'new' } },
        { Diff: true },
      )
      names.quoted('diff', changed, `"Meta[${word}]"`)

      const driverless = { TaskGroups: [{ ...group, Tasks: [{ ...task, Driver: '' }] }] }
      names.quoted('task at fault', await put('jobs', driverless), `Task ${word} validation`)
      const empty = { TaskGroups: [{ ...group, Tasks: [] }] }
      names.quoted('group at fault', await put('jobs', empty), `Task group ${word} validation`)
      const elsewhere = { Namespace: `x-${plain(word)}` }
      names.quoted('unknown namespace', await put('jobs', elsewhere), `x-${plain(word)}`)
      await manager.request('DELETE', `job/${path(word)}?purge=true`)
    }
    expect(names.lost).toEqual([])
  })

  test('job files, namespaces and policies of the scheduler API', async () => {
    const names = new Names()
    const { manager } = await scheduler({ dialect, options: { aclEnabled: true } })
    for (const word of names.words()) {
      const own = { [word]: word }
      const meta = `meta = {\n "${word}" = "${word}"\n }`
      const inner = `task "${word}" {\n driver = "docker"\n ${meta}\n }`
      const text = `job "${word}" {\n group "${word}" {\n ${inner}\n }\n}`
      const { body: parsed } = await manager.post('jobs/parse', { JobHCL: text })
      const [parsedGroup] = parsed?.TaskGroups ?? []
      const [parsedTask] = parsedGroup?.Tasks ?? []
      const parts = [parsed?.ID, parsedGroup?.Name, parsedTask?.Name, parsedTask?.Meta]
      names.same('job file', parts, [word, word, word, own])
      const argument = `x_${word.replaceAll('.', '_')}`
      const wrong = await manager.post('jobs/parse', { JobHCL: `job "a" {\n ${argument} = 1\n}` })
      names.quoted('unknown argument', wrong, argument)

      const namespace = { Name: `n-${plain(word)}`, Description: word, Meta: own }
      await manager.put('namespace', namespace)
      const { body } = await manager.get(`namespace/${namespace.Name}`)
      const back = { Name: body?.Name, Description: body?.Description, Meta: body?.Meta }
      names.same('namespace', back, namespace)
      const policy = { Name: namespace.Name, Description: word, Rules: 'node { policy = "read" }' }
      await manager.put(`acl/policy/${policy.Name}`, policy)
      const { body: kept } = await manager.get(`acl/policy/${policy.Name}`)
      names.same('policy', [kept?.Name, kept?.Description], [policy.Name, word])
    }
    expect(names.lost).toEqual([])
  })
})
