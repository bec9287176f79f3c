import { type CaptureContext, type CapturedFixtures, placeholder } from './capture-context.ts'
import { itemsOf, memberOf, omitEmpty, type RealServer, textAt } from './real-server.ts'

/** Captures the namespaces and keys of a service mesh. */
export async function captureMesh(
  server: RealServer,
  context: CaptureContext,
): Promise<CapturedFixtures> {
  const response = await server.get('namespaces')
  // The community edition has one namespace, and rejects requests that name it.
  const namespaces =
    response === undefined
      ? [await captureNamespace(server, { Name: 'default' }, '', context)]
      : await Promise.all(
          itemsOf(response).map((each) =>
            captureNamespace(
              server,
              each,
              `&${new URLSearchParams({ ns: textAt(each, 'Name') })}`,
              context,
            ),
          ),
        )
  const nonEmpty = namespaces.filter((each) => each['name'] !== 'default' || 'keys' in each)
  return { mesh: omitEmpty({ namespaces: nonEmpty }) }
}

async function captureNamespace(
  server: RealServer,
  response: unknown,
  query: string,
  context: CaptureContext,
): Promise<Record<string, unknown>> {
  const name = textAt(response, 'Name')
  for (const kind of ['PolicyDefaults', 'RoleDefaults']) {
    const links = itemsOf(memberOf(response, 'ACLs', kind)).map((link) => textAt(link, 'Name'))
    if (links.length > 0) context.notes.push(`${kind} of ${name}: ${links.join(', ')}`)
  }
  const keys: [string, string][] = []
  for (const entry of itemsOf(await server.get(`kv/?recurse=true${query}`))) {
    const key = textAt(entry, 'Key')
    const value = context.values ? Buffer.from(textAt(entry, 'Value'), 'base64') : undefined
    const text = value?.toString() ?? placeholder
    if (value === undefined || Buffer.from(text).equals(value)) keys.push([key, text])
    else context.notes.push(`key ${key} of ${name}: its value is not text`)
  }
  const isDefault = name === 'default'
  return {
    name,
    ...omitEmpty({
      description: isDefault ? '' : memberOf(response, 'Description'),
      meta: memberOf(response, 'Meta'),
      keys: Object.fromEntries(keys),
    }),
  }
}
