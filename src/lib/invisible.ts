/** The text without characters nobody can see, line breaks and tabs aside. */
export function withoutInvisible(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?![\n\t])\p{Cc}/gu, '');
}
