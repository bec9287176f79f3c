import { itemsOf, memberOf, omitEmpty, textAt } from './real-server.ts'
import { readOrNote, type SecretsReader } from './secrets-reader.ts'

/** Captures the plug-ins that were registered; every server has the built-in ones. */
export async function capturePlugins(reader: SecretsReader): Promise<readonly object[]> {
  const catalogue = await readOrNote(reader, 'sys/plugins/catalog')
  const plugins: object[] = []
  for (const entry of itemsOf(memberOf(catalogue, 'data', 'detailed'))) {
    if (memberOf(entry, 'builtin') !== false) continue
    const { type, name, version } = {
      type: textAt(entry, 'type'),
      name: textAt(entry, 'name'),
      version: textAt(entry, 'version'),
    }
    const response = await readOrNote(reader, `sys/plugins/catalog/${type}/${name}`, {
      query: version === '' ? '' : `?version=${encodeURIComponent(version)}`,
    })
    const data = memberOf(response, 'data')
    const [sha256, command] = [textAt(data, 'sha256'), textAt(data, 'command')]
    if (command === '') continue
    plugins.push({
      type,
      name,
      sha256,
      command,
      ...omitEmpty({ version, args: memberOf(data, 'args') }),
    })
  }
  return plugins
}
