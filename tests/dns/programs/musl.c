/* Prints the addresses of a name, one a line: musl's getaddrinfo. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>

int main(int count, char **words) {
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found;
    char text[INET6_ADDRSTRLEN];
    int failed = count == 2 ? getaddrinfo(words[1], NULL, &wanted, &found) : EAI_NONAME;
    if (failed) return fprintf(stderr, "%s\n", gai_strerror(failed)), 2;
    for (; found; found = found->ai_next) {
        getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST);
        puts(text);
    }
    return 0;
}
