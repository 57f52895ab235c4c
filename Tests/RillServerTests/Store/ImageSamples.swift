#if Server
import Foundation
import RillRooms

/// Pictures of 24x16 pixels as Pillow 13.0.0 writes them, one of each kind.
enum ImageSample: String, CaseIterable {
    case png, pngAlpha, pngPalette, png16, jpeg, jpegProgressive, jpegGrey, jpegInks, webp, webpLossless, webpAlpha
    case webpAnimated, gif, gifInterlaced, gifAnimated, pngInterlaced

    var bytes: [UInt8] { Array(Data(base64Encoded: text.replacing("\n", with: "")) ?? Data()) }

    private var text: String {
        switch self {
        case .png:
            """
            iVBORw0KGgoAAAANSUhEUgAAABgAAAAQCAIAAACDRijCAAAAY0lEQVR42q3SuQ6AIBBF0YfiLlJo/P9PtSMTEZjF5BRvmluNA7D+
            wSMCcHYp1BnRUG/xCnm1PDTofIZGhVJokqqEZpF6aOFrhri/zQltHMzQ3sQPhbIbCKLQkbnSloYicdLzAdVZCrD0uzJjAAAAAElF
            TkSuQmCC
            """
        case .pngAlpha:
            """
            iVBORw0KGgoAAAANSUhEUgAAABgAAAAQCAYAAAAMJL+VAAAAxUlEQVR42q3QOW7DQBBE0dfcVzGw4fvfdByoA1mwZZJiNB+Fqh7g
            B0yU6f7G1dzYFAIRxOXc2GRYFSpUl3Jjkz9WqIO6UF/GD4qqDBs0QXMJPymqs9AWWrRv8y+Kmix0QVfo3uI/FLVZ6NEH/Wl+oajL
            8lAYMJzifxT1WR6DsTAe5h2KhixPmILpEO9UNOZwLsyYd/MBRVMOl2ApLLv4oKI5hyvWYH3BX1jPKFryyK1ww+2JP3/kJxWteWQL
            tsKW/PHA9/wbswWKrw/ijMQAAAAASUVORK5CYII=
            """
        case .pngPalette:
            """
            iVBORw0KGgoAAAANSUhEUgAAABgAAAAQBAMAAAD+CqKmAAAAGFBMVEWqw5oyw0GqgJEygCuqRE2qDxEyRBcyDwVHCCbvAAAABHRS
            TlP///8AQCqp9AAAAF5JREFUeJxlzsENhDAQQ9E3qxQAtWwDHOiJ5mgBiQoiOggVBA5BCIFPY1l/7JhABj9QPcylpIBjR2p3+TIJ
            rB2yZEGoG+L/YY5HT93uB5loc6K/K42N2WGYW1LeQztOtUIXmpcP3FAAAAAASUVORK5CYII=
            """
        case .png16:
            """
            iVBORw0KGgoAAAANSUhEUgAAABgAAAAQEAAAAAB53zwKAAAAGElEQVR4nGOc48BAEmAiTfmohlENQ0kDANTSAPxB0PpxAAAAAElF
            TkSuQmCC
            """
        case .jpeg:
            """
            /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7
            gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8
            fHx8fHx8fHz/wAARCAAQABgDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF
            BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW
            V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi
            4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC
            AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm
            Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq
            8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDnY7T2q3HZ+1aUNp7Vehs/aueEucyoYuxlR2XtRXQLbBeMZNFOUqMXaT1PYp4t8p//2Q==
            """
        case .jpegProgressive:
            """
            /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7
            gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8
            fHx8fHx8fHz/wgARCAAQABgDASIAAhEBAxEB/8QAFwAAAwEAAAAAAAAAAAAAAAAAAAMEBf/EABcBAAMBAAAAAAAAAAAAAAAAAAAC
            AwT/2gAMAwEAAhADEAAAAc5tL5pKaAbP/8QAFxAAAwEAAAAAAAAAAAAAAAAAAAECEv/aAAgBAQABBQJSKBQKRQZP/8QAFxEAAwEA
            AAAAAAAAAAAAAAAAAAIDIf/aAAgBAwEBPwFKi1w//8QAGBEBAQADAAAAAAAAAAAAAAAAAQACETH/2gAIAQIBAT8BHcuB2//EABQQ
            AQAAAAAAAAAAAAAAAAAAACD/2gAIAQEABj8CX//EABcQAAMBAAAAAAAAAAAAAAAAAAABESD/2gAIAQEAAT8hyhyg/9oADAMBAAIA
            AwAAABB0P//EABYRAQEBAAAAAAAAAAAAAAAAAAABEf/aAAgBAwEBPxDNU//EABcRAAMBAAAAAAAAAAAAAAAAAAABESH/2gAIAQIB
            AT8QKwjaf//EABgQAQEBAQEAAAAAAAAAAAAAAABhAREh/9oACAEBAAE/EIoIooMfHO6//9k=
            """
        case .jpegGrey:
            """
            /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7
            gYKBTmCNl4x9lnN+gXz/wAALCAAQABgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF
            BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW
            V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi
            4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/AOdjtParcdn7Vbjsvap4bT2q9DZ+1W1tgvGMmv/Z
            """
        case .jpegInks:
            """
            /9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAUDg8SDw0UEhASFxUUGB4yIR4cHB49LC4kMklATEtHQEZFUFpzYlBVbVZFRmSIZW13e4GC
            gU5gjZeMfZZzfoF8/8AAFAgAEAAYBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIB
            AwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZH
            SElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV
            1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwDmrLtWD/Zv+zXIxR767Ougsu1H9m/7NW4rHf2oroLLtR/Z
            v+zVuLR9/wDDRXn9l2rsP7N/2aqWEe/FFdBZdqP7N/2a6Wwsd+OKK6Cy7Uf2b/s1Zvb610pxD5RuLnAPlqcBf949uOeh/Wiv/9k=
            """
        case .webp:
            """
            UklGRnIAAABXRUJQVlA4IGYAAABQBACdASoYABAAPu1mqk2zpaQiMAgCcB2JbACdMoRwN5WBLiXYvfzq/zkAAP79s2LzpohVSCHW
            OOMMG8rTjsF0Y/qtOea2V6o+7gpEuf7LkAMkUM6LyLX17VoYbAqlGJskc+tAAAA=
            """
        case .webpLossless:
            """
            UklGRrQCAABXRUJQVlA4TKgCAAAvF8ADEB6EtK0mgwwyyCCDDDLIYAYzmMEMZjCDGczqoaMMACbj8Tgej+PxOB7HcRzHcRzHcRx3
            Bxzatk0759u2Ytv8jlnZVmfbqGxbre1UTp3STmfMfyAIhSDCUAQiCsUg4lAyRCqUBpEBZUJkQzkQeVA+VICKiGhAVUZHI7YqLpoI
            1YnRQq6VEu20OujRxaybFb2c+rgxgBihW8DGhNgiOWb0lpixzG2FH2vi1jViU6ctvdgxatck9i3iiOqEjTO5Cy2unG78uGv0rB2v
            hr2ZxIdVn7bx7dyPNP7U/XsMgIHoRCAPpicif6i4AIikN9woUaxGtUt06RjKxPIe2z9xg8YLSwIkiTgDLSmCGTWSZjSTeTI7ziJN
            Ns/Z/ZIzeK6I5EmaNz35s1OIXUROMX+JRkpNllmlXLqyOlUDVwtKjbg1U1I7a52C1KtZv2kDbMSlA2ezOB1Ntlqnk2K7Z7oE7RqZ
            7ul7ZKRX2d616du2X28GQAbRj8DPEKMjWmWY8kjeGTnsKHEZLePoBRmz4VjNGWf4uNMZfzkTCScxM1nvFPNMVZzmnekRZ07MrLln
            K8sczefsKQDmnjvPfOY7PP/pBXAhMStoXGyUFaWXemaliMuTskrBVauyeuc1hrPW/LU3s+7F9S6zAbKJewftbHG8ozrbwu6UmJ0L
            71KT3XrvPpE91+51mH0u73ub/X9zkPwQP4etHpHmaNBjcTle8OSanNr/tOmcsf3Mo5x99Zy3nId/PvsFeJGSGwxftsuNga9G5qbc
            16tyS/9bZ3L73jvOctfDu99zL+N9GnkAeST+gkmeeH4xKM8yvlSWl3u/Mp3X9r9+kTdfvvWTd/jfNcj76nyk/aSRz9Jf/PI1/beC
            fO/880R+3fvbRf54++d//pb8xyz/+f4/PA==
            """
        case .webpAlpha:
            """
            UklGRtwAAABXRUJQVlA4WAoAAAAQAAAAFwAADwAAQUxQSBYAAAABDzD/ERFCIEAU2zPjSEFE/3sgJeRFVlA4IKAAAABwBACdASoY
            ABAAPu1iqU2ppaOiMAgBMB2JbACdMoMYA0UZdCzn3AGjNEQRwAD+7qIJx5Yp858bfr9ADkHeVAQUDCVIvx9yEStt0pTcTptm7S1W
            Qm7qjFMCyiiBTjL81VXUvjvHYPZ3rAZ+TGtF1aKOLJONoK9rJYe3oLSA7kYOOy7n8qr/eUbJTfsLJ2hf5zNf8X/wPxfc4kEPHWmA
            sgAA
            """
        case .webpAnimated:
            """
            UklGRvwBAABXRUJQVlA4WAoAAAACAAAAFwAADwAAQU5JTQYAAAAAAAAAAABBTk1GhgAAAAAAAAAAABcAAA8AADIAAAJWUDggbgAA
            ADAEAJ0BKhgAEAA/EXy0UawoJSKwCAGAIglsJwO4B/ALj+DGPoWYAMjXYAD+6pH+///4M1nf6f5//Pz5Pr6GzS07FRu0bhw6UM35
            QzyABskl35a5QtdbDnajfQCXNe/40fggRxtw9ykz8avIAAAAQU5NRp4AAAAAAAAAAAAXAAAPAAAyAAAAVlA4IIYAAACUAwCdASoY
            ABAALtGIxGIAAA0Eth3D0BjgpwAN5FhggqwAH/AAAMz//3X//o9Yf1mX/+E+ItPhr+d94Q1+TXxbvZAl/l0yGk/fNo5xjzdPvn9W
            3/6cCZf//lK4uZRD15/JPao5AxTydp/IkRzEm9iXUn3pQrn5eV1O0SMeH2+BOPdD5AAAAEFOTUacAAAAAAAAAAAAFwAADwAAMgAA
            AFZQOCCEAAAANAMAnQEqGAAQAC7RiMRiAAANBLYr2cBKgAbxbg4wAIgUAAD+x/+///YvNfxsX/+J3efbKrLsoGyISg4lopobTdyd
            za2+cxCcbaJM/7Y/0tAt/+LncRN/NkG7/oFH2segIDxQbj/LDVQwp9q5y9CdxqSMpNc4VQ6+Vg+wuucZVy90x4AA
            """
        case .gif:
            """
            R0lGODdhGAAQAIIAAKrDmjLDQaqAkTKAK6pETaoPETJEFzIPBSwAAAAAGAAQAAAIdQAPCBxIUGCBgwgTHizIUKHDhQwJPnQo0IDF
            ixgREtjIkSPGjxc7ivQIEuPIkyUvDji5UYBLARYHyJw5s+PLmy5p6pyJs6eAnTp99gQqM0AAoThpGl1qVACAp1CjPmVK1ajUqxur
            Mr0alQBUrUu5cgVrdazUgAA7
            """
        case .gifInterlaced:
            """
            R0lGODdhGAAQAIIAAKrDmjLDQaqAkTKAK6pETaoPETJEFzIPBSwAAAAAGAAQAEAIdwAPCBxIUGCBgwgTHhzAsKFDhgIiSpwY0YDF
            ixgtEtjIsePGACBDigwAoKTJkwA2FlypsOXBjBkHeOw48aFDkBRzRhw5EqVPkysLumwpECZGhDM5GsWYdKZFmw1p6hQA1eFUijd5
            CviJkqdIriUJmPQakivJkwEBADs=
            """
        case .gifAnimated:
            """
            R0lGODlhGAAQAIEAAHPDcXOAYqotMzItDyH5BAEFAAEALAAAAAAYABAAAAhWAAcIHEhQoICDCBMeLMhwgMKHAhoWhKhQ4kCKFS06
            xIhQ40aOESUGGEmS5MOGJVOqHMlwpUuSBV/KJChzJICbOG8OVJmzp0+BPoMGZSm0qNGjSJMKDQgAIfkEAQUAAQAsAAAAABgAEACB
            vqWhPKVrvi14PC2CCFwABwgcIKCgwYMGBypUiLBhwYUQHTaEuFAiQooMLSbEKFDjRo4eBQCgGKBkgIMAUqpUSdLkypcrFZqcCbPm
            zJsla8LEeVPnS540faoE6lJoSqI5jQJAGkDpUpwBAQA7
            """
        case .pngInterlaced:
            """
            iVBORw0KGgoAAAANSUhEUgAAABgAAAAQCAIAAAH0QRhUAAAD3klEQVR4nBWPUYgWVRTHT7qu67juXbfRvnS7aC46bHtjm0Q3uqAu
            NSzdlAk2sGuQ6BBekEEK6fayxGDciAGF4FLiwxRcsOnFh4sE0RDckHkIqvvUwwQNxAQ9hPTSi1Hf93QO53/O7/8/AAApQDUuICGV
            pyv5AUSTHtrxKJKHpLzYyrFOIaLzKT0k6WpFT7d0fGUhsqupvSjtrcp+19qHEE72IAMoJyp0Y0RIZygdZTQq6ZqlGx09D6Gcp3I1
            k2kpr1l5q5P3ILQjajcyK0t719pfOjsDgCHEUxGeoXg2xfMZDiUelXixwocsXmpx1OEVAA4hn434iPKllK9mnEq+UfLNil+0/GrL
            ZcdvAGgIdRjpiGqa6jTTmdSy1GWlK6ttq9tOj5N6CP1i5Neo30z9tcyX0t8t/feV/836R60fdf44BJNUEAMkE2fIAYoJHWqAZkKA
            YfxxgLdhPB3jIMFzHC/keH+BD2iMa/x0g496vDzgZyGgU5jOxjRM6CKnSzldKehxTWlNX2roq55uDvRNCPg05gsxxwlf5vxEztcL
            fk5zXvO3G/6O51sD/xgCOYPlKJZRIte43Mjl+UJe0VLW8qNGfurl3UF+DYEOsMaxjhOdcM1znRe60FrXum5047Uf9ACBncV2KbY0
            sZvcXs3tjcLe0dbW9ofG/u7to8GGEPg57JdjnyT+Evdbub9d+Pva+9r/1fjA+6ODXwdAEKDHQrQNo+0RmorRDoqmE7QzRTMc7cpQ
            kKPdEs0WaE+J5jRCFZqv0V6LFhr0eItCj/Z1aP+AngAgEJDtIZnGZFdEZmOCKFlIyL6UjDg5mBGck8OSLBXkWEmWNSEVWa3J85ac
            aMgLLaGenOrI+kBeBmAQsB0hCzBDEQtj9iRlOGFHUhZxRjIW5+ykZLRgZ0qWaMYqltbsdct4w95qWeaZ6Fg+sHcBBARiZyjmsNgX
            icVYHKFiORHPpWKNi1OZSHJxVorNQlwoxSUtRCWu1eI9K7Ya8WErSi8+6cTtQXwOoCBQu0K1gNXBSC3FilB1IlGnUrXB1WuZ4rm6
            LNXVQl0v1ZZWqlK3avWZVV806qtWWa++7dSDQf0IYCAwu0OzH5vDkVmJzUlq1hNzNjXnubmcmTw370tzozA3S3NbG1OZe7X5xpoH
            jfm5NZ03f3Tm78H8C+AgcHtCdwC7Y5E7Hrsz1J1L3IXUXeHueuaK3N2U7k7hvizdfe1c5X6q3a/W/dm4f1o35d3ezuHBPQPQQ9Cj
            sMe4J1FP457Rnie9SHvJe5X1Ou+N7G3Ru7L3uu+r/mHd/2f7uaZ/qu1XfP9i178y9G/8DwQuxbDvRi0dAAAAAElFTkSuQmCC
            """
        }
    }
}
#endif
