//! Words that ask, and words that every text has.

/// Words that only ask or bind, in the languages that are stemmed. Without accents, in order of languages.
const BINDING: &str = "a about after all also am among an and any are as at be because been before being between both but \
    by can could did do does during each for from had has have having he her here hers him his how i if in into is it its \
    just may me might more most much must my no nor not of on one only or other our out over own per s same shall she \
    should so some such than that the their them then there these they this those through to too under until up upon us \
    very was we were what when where whether which while who whom whose why will with within without would you your \
    didn doesn don t \
    aber als am an auch auf aus bei bis das dass dem den der des die durch ein eine einem einen einer eines er es fur hat \
    haben hatte ihr ihre im in ist kann man mit nach nicht noch nur oder sein seine sich sie sind so uber um und uns unter \
    vom von vor war waren warum was wann welche welchem welchen welcher welches wenn wer werden wie wieviel wird wo wurde \
    wurden zu zum zur \
    au aux avec ce ces cet cette comment combien dans de des du elle elles en est et etait ete etre il ils la le les leur \
    leurs lors mais ne ou par pas plus pour pourquoi qu quand que quel quelle quelles quels qui quoi sa se ses son sont sur \
    un une y \
    al como con cual cuales cuando cuanto cuantos del donde el ella en era eran es esta este ha han la las lo los mas no \
    para pero por porque que quien se ser si sin sobre son su sus un una y \
    che chi come con cosa cui da dal dei del della delle di dove e gli i il in la le lo nel nella non o perche per piu qual \
    quale quali quando quanto si sono sul una \
    ao aos as com das do dos em foi mais na nas nos onde os ou para pela pelo por quais qual quando que quem sao se seu sua \
    um uma \
    aan bij dat de een en er hebben heeft het hoe hoeveel in is kan met naar niet of om ook op te tot uit van voor waar \
    waarom wanneer wat welk welke wie worden wordt zijn zou";

/// Words of instructions, in sentences that ask.
const ASKING: &str = "according answer based bitte briefly calculate compute define describe determine discuss document \
    exactly explain find following following give given identify indique identifiez list listed mention mentioned nenne \
    outline pdf please provide provided question refer regarding report say says show specify stated summarise summarize \
    tell beschreibe erklare zeige";

/// Words of questions that a number answers. Without accents.
const FIGURES: &str = "amount average change combien cost cuantas cuanto cuantos decrease fall gain growth hoeveel increase loss many \
    margin much percent percentage price quanti quanto quantos rate ratio rise share spend sum total viel viele wieviel \
    \u{591A}\u{5C11}";

/// Words that begin a question, with those of [`ASKING`].
const BEGINNINGS: &str = "are can could did do does has have how is was were what when where which who whose why \
    will would wer wie was wann warum welche welcher welches wo ist sind combien comment est pourquoi quand que quel quelle \
    quelles quels qui quoi como cual cuales cuando donde come cosa quale quali quando hoe hoeveel waar wanneer wat welke";

fn has(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|one| one == word)
}

/// Whether a folded word binds others, and says nothing alone.
pub(super) fn is_binding(word: &str) -> bool {
    has(BINDING, word)
}

/// Whether a folded word is an instruction in a sentence that asks.
pub(super) fn is_asking(word: &str) -> bool {
    has(ASKING, word)
}

/// Whether a question with the folded word has a number for an answer.
pub(super) fn asks_figure(word: &str) -> bool {
    has(FIGURES, word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a query whose first folded word this is may be a question.
pub(super) fn begins_question(word: &str) -> bool {
    has(BEGINNINGS, word) || is_asking(word)
}
