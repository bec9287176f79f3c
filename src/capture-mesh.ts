import { type Captured, placeholder, type Taking } from './captured.ts'
import { itemsOf, memberOf, type RealServer, textIn, withoutBlanks } from './real-server.ts'

/** Takes what a service mesh has: namespaces and their keys. */
export async function captureMesh(server: RealServer, taking: Taking): Promise<Captured> {
  const told = await server.get('namespaces')
  // The community edition has one, whose name it does not want to hear.
  const namespaces =
    told === undefined
      ? [await namespaceOf(server, { Name: 'default' }, '', taking)]
      : await Promise.all(
          itemsOf(told).map((each) =>
            namespaceOf(
              server,
              each,
              `&${new URLSearchParams({ ns: textIn(each, 'Name') })}`,
              taking,
            ),
          ),
        )
  const saying = namespaces.filter((each) => each['name'] !== 'default' || 'keys' in each)
  return { mesh: withoutBlanks({ namespaces: saying }) }
}

async function namespaceOf(
  server: RealServer,
  told: unknown,
  query: string,
  taking: Taking,
): Promise<Record<string, unknown>> {
  const name = textIn(told, 'Name')
  for (const kind of ['PolicyDefaults', 'RoleDefaults']) {
    const links = itemsOf(memberOf(told, 'ACLs', kind)).map((link) => textIn(link, 'Name'))
    if (links.length > 0) taking.notes.push(`${kind} of ${name}: ${links.join(', ')}`)
  }
  const keys: [string, string][] = []
  for (const entry of itemsOf(await server.get(`kv/?recurse=true${query}`))) {
    const key = textIn(entry, 'Key')
    const value = taking.values ? Buffer.from(textIn(entry, 'Value'), 'base64') : undefined
    const text = value?.toString() ?? placeholder
    if (value === undefined || Buffer.from(text).equals(value)) keys.push([key, text])
    else taking.notes.push(`key ${key} of ${name}: its value is not text`)
  }
  const isOwn = name === 'default'
  return {
    name,
    ...withoutBlanks({
      description: isOwn ? '' : memberOf(told, 'Description'),
      meta: memberOf(told, 'Meta'),
      keys: Object.fromEntries(keys),
    }),
  }
}
