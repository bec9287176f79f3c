import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { start } from '../../support/command.ts'
import { readDocument } from '../../support/files.ts'
import { nginxProgram, startNginx, withoutServers, worldsOf } from '../../support/scale.ts'

const nginx = nginxProgram()
const headers = { 'X-Vault-Token': 'root' }

describe('behaviour/program#worlds-for-clients: several servers behind nginx', () => {
  test('each world is on one server, which requests reach by prefix, by header and in the control plane', async ({
    skip,
  }) => {
    if (nginx === undefined) return skip('there is no nginx here')
    const argv = ['--port=0', '--dialect=vendor', '--default-world=off']
    const servers = await Promise.all([1, 2, 3].map(() => start(argv)))
    const origins = servers.map(({ origins }) => origins.control)
    const { url, stop } = await startNginx(nginx, origins)
    onTestFinished(stop)
    const ids = Array.from({ length: 24 }, (_, at) => `w${at}`)
    for (const id of ids) {
      const created = await fetch(`${url}/_mock/worlds/${id}`, { method: 'PUT' })
      expect([created.status, (await created.json()).id]).toEqual([201, id])
      const path = '/v1/secret/data/app?x=/_world/other/'
      const written = await fetch(`${url}/_world/${id}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ data: { world: id } }),
      })
      expect(written.status).toBe(200)
      const read = await fetch(`${url}/v1/secret/data/app`, {
        headers: { ...headers, 'X-Mock-World': id },
      })
      expect((await read.json()).data.data).toEqual({ world: id })
      // LIST is unknown to both Node and nginx.
      const listed = await fetch(`${url}/_world/${id}/v1/secret/metadata/`, {
        method: 'LIST',
        headers,
      })
      expect((await listed.json()).data.keys).toEqual(['app'])
      const { services } = await (await fetch(`${url}/_mock/worlds/${id}/info`)).json()
      expect(services.secrets.url).toBe(`${url}/_world/${id}`)
    }
    const worldsByServer = await Promise.all(origins.map(worldsOf))
    expect(worldsByServer.flat().sort()).toEqual([...ids].sort())
    // All worlds would land on one server only by an extreme chance.
    expect(worldsByServer.filter((each) => each.length > 0).length).toBeGreaterThan(1)
    const misrouted = await fetch(`${url}/v1/secret/data/app`, { headers })
    expect(misrouted.status).toBe(404)
  }, 60_000)

  test('the Kubernetes manifest has the tested configuration, and refers to existing resources', () => {
    const [service, pods, set, config, proxy] = parseAllDocuments(
      readDocument('docker/scale/kubernetes.yaml'),
    ).map((each) => each.toJS())
    const text: string = config.data['nginx.conf']
    expect(withoutServers(text)).toBe(withoutServers(readDocument('docker/scale/nginx.conf')))
    const named = [...text.matchAll(/server (\S+):4600;/g)].map(([, name]) => name)
    const { name } = set.metadata
    expect(named).toEqual(
      Array.from({ length: set.spec.replicas }, (_, at) => `${name}-${at}.${pods.metadata.name}`),
    )
    expect(set.spec.serviceName).toBe(pods.metadata.name)
    expect(pods.spec.clusterIP).toBe('None')
    expect(pods.spec.selector).toEqual(set.spec.template.metadata.labels)
    expect(service.spec.selector).toEqual(proxy.spec.template.metadata.labels)
    expect(proxy.spec.template.spec.volumes[0].configMap.name).toBe(config.metadata.name)
  })

  test('the compose file and the configuration have the same servers', () => {
    const { services } = parse(readDocument('docker/scale/compose.yaml'), { merge: true })
    const { depends_on: needed } = services.understudy
    const text = readDocument('docker/scale/nginx.conf')
    const named = [...text.matchAll(/server (\S+):4600;/g)].map(([, name]) => name)
    expect(Object.keys(needed)).toEqual(named)
    expect(Object.keys(services)).toEqual([...named, 'understudy'])
  })
})
