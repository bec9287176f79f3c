import { expect, test } from 'vitest'
import { ReplyTurns } from '../../../../state/kernel/store/reply-turns.ts'
import { yieldToEventLoop } from '../../../../state/kernel/time.ts'

test('behaviour/program#bounds: at most 64 woken readers are answered per turn, in order', async () => {
  const turns = new ReplyTurns()
  const answered: number[] = []
  for (let at = 0; at < 150; at += 1) turns.add(() => answered.push(at))
  const sizes = [answered.length]
  while (answered.length < 150) {
    await yieldToEventLoop()
    sizes.push(answered.length)
  }
  expect(sizes).toEqual([64, 128, 150])
  expect(answered).toEqual(Array.from({ length: 150 }, (_, at) => at))
  await yieldToEventLoop()
  turns.add(() => answered.push(150))
  expect(answered).toHaveLength(151)
})
