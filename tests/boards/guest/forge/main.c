// SPDX-License-Identifier: Apache-2.0
/*
 * Sends forged copies of an OpenVPN data packet that this node has just sent:
 *
 *	forge INTERFACE PORT
 *
 * waits until a packet of 200 bytes or more leaves INTERFACE for the UDP port PORT, and sends it
 * three times more: with another byte in its tag, in its ciphertext, and in its packet number,
 * which is authenticated only.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	FRAME_MOST = 2048,
	PAYLOAD_LEAST = 200,
	UDP_AT = ETH_HLEN + sizeof(struct iphdr),
	PAYLOAD_AT = UDP_AT + sizeof(struct udphdr),
	OPCODE_SHIFT = 3,
	DATA_V2 = 9,
};

/* Where a data packet has what, in its UDP payload: opcode and peer, packet number, tag, text */
static const size_t places[] = { 7, 8, 24 };

static int is_data(const unsigned char *frame, ssize_t length, in_port_t port)
{
	const struct udphdr *udp = (const void *)(frame + UDP_AT);

	return length >= PAYLOAD_AT + PAYLOAD_LEAST && frame[ETH_HLEN + 9] == IPPROTO_UDP &&
	       udp->dest == port && frame[PAYLOAD_AT] >> OPCODE_SHIFT == DATA_V2;
}

static ssize_t await_packet(int socket, unsigned char *frame, in_port_t port)
{
	struct sockaddr_ll from;
	socklen_t size;
	ssize_t length;

	do {
		size = sizeof(from);
		length = recvfrom(socket, frame, FRAME_MOST, 0, (struct sockaddr *)&from, &size);
		if (length < 0)
			return length;
	} while (from.sll_pkttype != PACKET_OUTGOING || !is_data(frame, length, port));
	return length;
}

int main(int count, char **words)
{
	static _Alignas(4) unsigned char room[FRAME_MOST + 2];
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	/* Headers behind the 14 bytes of Ethernet's are aligned */
	unsigned char *frame = room + 2;
	ssize_t length;
	size_t i;
	int packets;

	if (count != 3)
		return 2;
	address.sll_ifindex = (int)if_nametoindex(words[1]);
	packets = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	if (packets < 0 || bind(packets, (struct sockaddr *)&address, sizeof(address))) {
		perror(words[1]);
		return 1;
	}
	length = await_packet(packets, frame, htons((unsigned short)atoi(words[2])));
	if (length < 0) {
		perror("recvfrom");
		return 1;
	}
	/* No checksum, which IPv4 allows: else a wrong one would be why the packet is refused */
	((struct udphdr *)(void *)(frame + UDP_AT))->check = 0;
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		frame[PAYLOAD_AT + places[i]] ^= 1;
		if (send(packets, frame, (size_t)length, 0) != length) {
			perror("send");
			return 1;
		}
		frame[PAYLOAD_AT + places[i]] ^= 1;
	}
	return 0;
}
