// Makes EAST the primary of a DR pair and WEST its secondary, and waits until WEST follows. Both
// are addresses. An existing pair stays unchanged.
const { EAST, WEST, TOKEN = 'root' } = process.env
const dr = 'v1/sys/replication/dr'

async function ask(server, path, body) {
  const reply = await fetch(`${server}/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Vault-Token': TOKEN },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${server}/${path} answered ${reply.status}: ${text}`)
  return text === '' ? {} : JSON.parse(text)
}

const statusOf = async (server) => (await ask(server, `${dr}/status`)).data

if ((await statusOf(WEST)).mode !== 'secondary') {
  if ((await statusOf(EAST)).mode !== 'primary') await ask(EAST, `${dr}/primary/enable`, {})
  const { wrap_info } = await ask(EAST, `${dr}/primary/secondary-token`, { id: 'west' })
  await ask(WEST, `${dr}/secondary/enable`, { token: wrap_info.token })
}
while ((await statusOf(WEST)).state !== 'stream-wals') {
  await new Promise((resolve) => setTimeout(resolve, 100))
}
console.log('west follows east')
